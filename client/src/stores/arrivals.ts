/** What others shared while the page was hidden, and whether this device tells of it by a notification. */
import { createStore } from 'zustand/vanilla'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'

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

/** Returns the items of others that are not among the known ones. One that the server does not have yet is this device's own. */
export function newcomersOf(
  items: readonly Item[],
  known: ReadonlySet<ItemId>,
  me: DeviceId | null,
): readonly Item[] {
  return items.filter(({ id, seq, from }) => seq !== null && from !== me && !known.has(id))
}

export function createArrivalsStore() {
  return createStore<Arrivals>()(() => ({ unseen: 0, notifying: 'unsupported' }))
}
