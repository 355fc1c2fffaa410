/** Toasts at the bottom of the page: at most three, the newest lowest. News alone never takes the place of an action. */
import { createStore } from 'zustand/vanilla'

export interface Toast {
  readonly id: number
  readonly tone: 'ok' | 'bad' | 'info'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
  /** It tells of what is being done or waits for the person, and stays until that is over. */
  readonly lasts?: boolean | undefined
}

export interface ToastsState {
  readonly toasts: readonly Toast[]
}

const AT_MOST = 3

export type ToastsEvent =
  | { type: 'shown'; toast: Toast }
  /** What it tells of has come further. */
  | { type: 'changed'; id: number; text: string }
  | { type: 'dismissed'; id: number }

/** Applies an event to the toasts. A repeated text replaces the older toast. */
export function reduceToasts(state: ToastsState, event: ToastsEvent): ToastsState {
  switch (event.type) {
    case 'shown': {
      const others = state.toasts.filter((toast) => toast.text !== event.toast.text)
      return { toasts: [...withRoom(others), event.toast] }
    }
    case 'changed': {
      const { id, text } = event
      return { toasts: state.toasts.map((toast) => (toast.id === id ? { ...toast, text } : toast)) }
    }
    case 'dismissed':
      return { toasts: state.toasts.filter((toast) => toast.id !== event.id) }
  }
}

/** Leaves out the oldest toast where there is no room for one more, and one without an action before one with an action. */
function withRoom(toasts: readonly Toast[]): readonly Toast[] {
  if (toasts.length < AT_MOST) return toasts
  const out = toasts.find(({ action }) => !action) ?? toasts[0]
  return toasts.filter((toast) => toast !== out)
}

export function createToastsStore() {
  return createStore<ToastsState>()(() => ({ toasts: [] }))
}
