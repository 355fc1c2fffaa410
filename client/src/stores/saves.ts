/** What is being saved to this device's own folders, by card. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'

export type Save =
  /** It is saved as soon as it is here. */
  | { readonly status: 'waiting' }
  /** `saved` counts the files that are done, of `of`; `bytes` those that were read, of `size`. */
  | {
      readonly status: 'saving'
      readonly saved: number
      readonly of: number
      readonly bytes: number
      readonly size: number
      /** The connection was cut, and the rest is asked for again. */
      readonly isCut: boolean
    }

export interface SavesState {
  readonly saves: Readonly<Record<ItemId, Save>>
}

export type SavesEvent = { type: 'saving'; id: ItemId; save: Save } | { type: 'ended'; id: ItemId }

/** Applies an event to the saves. */
export function reduceSaves({ saves }: SavesState, event: SavesEvent): SavesState {
  const { [event.id]: _old, ...others } = saves
  return { saves: event.type === 'saving' ? { ...others, [event.id]: event.save } : others }
}

/** Whether anything is being saved, or will be. */
export function isAnySaved({ saves }: SavesState): boolean {
  return Object.keys(saves).length > 0
}

export function createSavesStore() {
  return createStore<SavesState>()(() => ({ saves: {} }))
}
