/** Toasts at the bottom of the page: at most three, the newest lowest. */
import { createStore } from 'zustand/vanilla'

export interface Toast {
  readonly id: number
  readonly tone: 'ok' | 'bad' | 'info'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

export interface ToastsState {
  readonly toasts: readonly Toast[]
}

const AT_MOST = 3

export type ToastsEvent = { type: 'shown'; toast: Toast } | { type: 'dismissed'; id: number }

/** Applies an event to the toasts. A repeated text replaces the older toast. */
export function reduceToasts(state: ToastsState, event: ToastsEvent): ToastsState {
  switch (event.type) {
    case 'shown': {
      const others = state.toasts.filter((toast) => toast.text !== event.toast.text)
      return { toasts: [...others, event.toast].slice(-AT_MOST) }
    }
    case 'dismissed':
      return { toasts: state.toasts.filter((toast) => toast.id !== event.id) }
  }
}

export function createToastsStore() {
  return createStore<ToastsState>()(() => ({ toasts: [] }))
}
