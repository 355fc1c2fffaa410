/** What another app shared into this one, until there is a beam to share it into. */
import { createStore } from 'zustand/vanilla'

export interface ShareTargetState {
  /** How many things wait. */
  readonly waiting: number
}

export function createShareTargetStore() {
  return createStore<ShareTargetState>()(() => ({ waiting: 0 }))
}
