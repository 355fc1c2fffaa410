/** What another app shared into this one, until there is a beam to share it into. */
import { createStore } from 'zustand/vanilla'

export interface ParcelState {
  /** How many things wait. */
  readonly waiting: number
}

export function createParcelStore() {
  return createStore<ParcelState>()(() => ({ waiting: 0 }))
}
