/** Whether the person lets this device pass on what it receives (F21). */
import { createStore } from 'zustand/vanilla'

export interface PassingOn {
  readonly isWanted: boolean
}

export function createPassingOnStore() {
  return createStore<PassingOn>()(() => ({ isWanted: true }))
}
