/** What the page itself says in toasts. */
import type { Actions } from '../features/actions'
import { createReadingNews } from './reading-news'
import type { Toaster } from './toaster'

export function createToastActions(toaster: Toaster): Pick<Actions, 'warn' | 'dismissToast' | 'readsFolder'> {
  return {
    warn: (text) => toaster.bad(text),
    dismissToast: (id) => toaster.dismiss(id),
    readsFolder: createReadingNews(toaster),
  }
}
