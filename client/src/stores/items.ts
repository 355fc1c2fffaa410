/** The items of the beam, in the beam's order; what this device has not yet got across comes last. */
import { createStore } from 'zustand/vanilla'
import type { ItemId, LiveItem } from '../protocol/bindings'
import { type Item, parseContent } from '../protocol/item'
import { equalJson } from '../protocol/json'

export interface ItemsState {
  readonly items: readonly Item[]
  /** Names the server's memory of the beam that the items came from. */
  readonly epoch: string | null
}

export type ItemsEvent =
  /** This device shares something: shown at once, in order once the server echoes it. */
  | { type: 'shared'; id: ItemId; message: unknown; extra: string; at: number }
  | { type: 'received'; item: LiveItem }
  | { type: 'deleted'; message: unknown; id?: ItemId | undefined }
  /** The whole of what the server has, once every page is there. */
  | { type: 'synced'; epoch: string; oldest: number; items: readonly LiveItem[] }
  | { type: 'left' }

const EMPTY: ItemsState = { items: [], epoch: null }

/** Every way the items can change, in one place. */
export function reduceItems(state: ItemsState, event: ItemsEvent): ItemsState {
  switch (event.type) {
    case 'shared':
      return { ...state, items: place(state.items, pendingItem(event)) }
    case 'received':
      return { ...state, items: place(state.items, liveItem(event.item)) }
    case 'deleted':
      return { ...state, items: state.items.filter((item) => !matches(item, event)) }
    case 'synced':
      return synced(state, event)
    case 'left':
      return EMPTY
  }
}

function synced(state: ItemsState, event: Extract<ItemsEvent, { type: 'synced' }>): ItemsState {
  const there = new Set(event.items.map((item) => item.id))
  const last = event.items.at(-1)?.seq ?? -1
  // With the same memory, what the server lacks between its oldest and its last was deleted while we were away.
  const wasDeleted = (item: Item) =>
    state.epoch === event.epoch &&
    item.seq !== null &&
    item.seq >= event.oldest &&
    item.seq <= last &&
    !there.has(item.id)
  const kept = state.items.filter((item) => !wasDeleted(item))
  return { epoch: event.epoch, items: event.items.map(liveItem).reduce(place, kept) }
}

function place(items: readonly Item[], item: Item): readonly Item[] {
  const others = items.filter((other) => other.id !== item.id)
  const at = others.findLastIndex((other) => order(other) <= order(item)) + 1
  return others.toSpliced(at, 0, item)
}

function order(item: Item): number {
  return item.seq ?? Number.POSITIVE_INFINITY
}

function matches(item: Item, deleted: { message: unknown; id?: ItemId | undefined }): boolean {
  return deleted.id === undefined ? equalJson(item.message, deleted.message) : item.id === deleted.id
}

function pendingItem(event: Extract<ItemsEvent, { type: 'shared' }>): Item {
  const { id, message, extra, at } = event
  return { id, message, extra, at, seq: null, from: null, content: parseContent(message, extra) }
}

function liveItem(item: LiveItem): Item {
  const { id, message, extra, at, seq, from } = item
  return { id, message, extra, at, seq, from, content: parseContent(message, extra) }
}

export function createItemsStore() {
  return createStore<ItemsState>()(() => EMPTY)
}
