/** The wish to paste that the page could not fulfil by itself, because it may not read the clipboard. */
import { createStore } from 'zustand/vanilla'

export type PastingState =
  | { readonly kind: 'none' }
  /** Asks the person to paste into a field. `screen` is the page on which it was wished. */
  | { readonly kind: 'asking'; readonly screen: 'home' | 'space' }

export function createPastingStore() {
  return createStore<PastingState>()(() => ({ kind: 'none' }))
}
