/** The changes of items that an earlier page of this tab could not send, and that wait for what the server has of these. */
import { createStore } from 'zustand/vanilla'

export interface WaitingEdits {
  readonly count: number
}

export function createWaitingEditsStore() {
  return createStore<WaitingEdits>()(() => ({ count: 0 }))
}
