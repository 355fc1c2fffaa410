/** Shows toasts. Each has an id by which it can be dismissed. */

import type { Stores } from '../stores/stores'
import { reduceToasts, type Toast, type ToastsEvent } from '../stores/toasts'

export interface Toaster {
  ok(text: string, action?: Toast['action']): Toast['id']
  bad(text: string, action?: Toast['action']): Toast['id']
  info(text: string, action?: Toast['action']): Toast['id']
  /** Tells of what is being done or waits for the person, until that is over. */
  lasting(text: string, action?: Toast['action']): LastingToast
  dismiss(id: number): void
}

export interface LastingToast {
  change(text: string): void
  end(): void
}

export function createToaster(store: Stores['toasts']): Toaster {
  let last = 0
  const tell = (event: ToastsEvent) => store.setState((state) => reduceToasts(state, event), true)
  const put = (toast: Omit<Toast, 'id'>) => {
    last += 1
    tell({ type: 'shown', toast: { id: last, ...toast } })
    return last
  }
  const show = (tone: Toast['tone']) => (text: string, action?: Toast['action']) =>
    put({ tone, text, action })
  return {
    ok: show('ok'),
    bad: show('bad'),
    info: show('info'),
    lasting(first, action) {
      const id = put({ tone: 'info', text: first, action, lasts: true })
      return {
        change: (text) => tell({ type: 'changed', id, text }),
        end: () => tell({ type: 'dismissed', id }),
      }
    },
    dismiss: (id) => tell({ type: 'dismissed', id }),
  }
}
