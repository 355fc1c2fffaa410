/** What other devices of a sealed beam have been given by the server, and this one has not (E14). */
import { createStore } from 'zustand/vanilla'

export interface MissingState {
  /** How many items, or newer versions of items. */
  readonly count: number
}

export function createMissingStore() {
  return createStore<MissingState>()(() => ({ count: 0 }))
}
