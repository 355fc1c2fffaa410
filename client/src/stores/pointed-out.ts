/** The item that the page points out, because somebody wants to share what is there already. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'

export interface PointedOut {
  readonly id: ItemId | null
  /** Grows each time, so that the same item can be pointed out again. */
  readonly times: number
}

export function createPointedOutStore() {
  return createStore<PointedOut>()(() => ({ id: null, times: 0 }))
}
