/** The lists of the items that are many files (F16), as far as they are known here. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'
import type { Manifest } from '../protocol/manifest'

/** `unreadable`: what came is no list that this device believes. */
export type PackList = Manifest | 'unreadable'

export interface PacksState {
  readonly lists: Readonly<Record<ItemId, PackList>>
}

export function createPacksStore() {
  return createStore<PacksState>()(() => ({ lists: {} }))
}
