/** What the files that this device has turned out to be, by their first bytes. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'
import type { Recognized } from '../protocol/magic'

export interface MediaState {
  /** Null for what is not shown; absent while nobody has looked. */
  readonly kinds: Readonly<Record<ItemId, Recognized | null>>
}

export function createMediaStore() {
  return createStore<MediaState>()(() => ({ kinds: {} }))
}
