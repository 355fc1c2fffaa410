/** The kinds of the files on this device, recognized by their first bytes. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'
import type { Recognized } from '../protocol/magic'

export interface MediaState {
  /** Null for a file that is not shown; absent until it was checked. */
  readonly kinds: Readonly<Record<ItemId, Recognized | null>>
}

export function createMediaStore() {
  return createStore<MediaState>()(() => ({ kinds: {} }))
}
