/** Content that another app shared into this one, waiting for a beam. */
import { createStore } from 'zustand/vanilla'

export interface ShareTargetState {
  /** Number of texts and files that wait. */
  readonly waiting: number
}

export function createShareTargetStore() {
  return createStore<ShareTargetState>()(() => ({ waiting: 0 }))
}
