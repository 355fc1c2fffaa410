/** Shows toasts. Each has an id by which it can be dismissed. */

import type { Stores } from '../stores/stores'
import { reduceToasts, type Toast } from '../stores/toasts'

export interface Toaster {
  ok(text: string, action?: Toast['action']): Toast['id']
  bad(text: string, action?: Toast['action']): Toast['id']
  info(text: string, action?: Toast['action']): Toast['id']
  dismiss(id: number): void
}

export function createToaster(store: Stores['toasts']): Toaster {
  let last = 0
  const show = (tone: Toast['tone']) => (text: string, action?: Toast['action']) => {
    last += 1
    const toast = { id: last, tone, text, action }
    store.setState((state) => reduceToasts(state, { type: 'shown', toast }), true)
    return last
  }
  return {
    ok: show('ok'),
    bad: show('bad'),
    info: show('info'),
    dismiss: (id) => store.setState((state) => reduceToasts(state, { type: 'dismissed', id }), true),
  }
}
