/** What others shared while the page was hidden, and whether this device tells of it by a notification. */
import { createStore } from 'zustand/vanilla'
import type { DeviceId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { type Card, cardsOf } from './cards'
import type { ItemsState } from './items'

export type Notifying =
  /** The browser has no notifications here, for example on plain http. */
  | 'unsupported'
  /** The person has forbidden them in the browser. */
  | 'blocked'
  | 'off'
  | 'on'

export interface Arrivals {
  /** The number of new items that the person has not seen. */
  readonly unseen: number
  readonly notifying: Notifying
}

/**
 * Returns the cards that others have shared since. What another device brings back, or had before (S28, S29), comes
 * before the newest known item and is none. A card that the server does not have yet is this device's own.
 */
export function newcomersOf(before: ItemsState, now: ItemsState, me: DeviceId | null): readonly Card[] {
  // What is in a beam when the page enters it has not just arrived.
  if (before.epoch === null || before.items === now.items) return []
  const known = cardsOf(before.items)
  const ids = new Set(known.map(({ id }) => id))
  // Another memory of the server counts anew.
  const newest = before.epoch === now.epoch ? newestOf(before.items) : -1
  return cardsOf(now.items).filter(
    ({ id, seq, from }) => seq !== null && seq > newest && from !== me && !ids.has(id),
  )
}

/** Returns the sequence number of the newest item; -1 without any. */
export function newestOf(items: readonly Pick<Item, 'seq'>[]): number {
  return items.reduce((newest, { seq }) => Math.max(newest, seq ?? -1), -1)
}

export function createArrivalsStore() {
  return createStore<Arrivals>()(() => ({ unseen: 0, notifying: 'unsupported' }))
}
