/** The items of the beam, in the beam's order; what this device has not yet got across comes last. */
import { createStore } from 'zustand/vanilla'
import type { ItemId, LiveItem } from '../protocol/bindings'
import { type Item, parseContent } from '../protocol/item'
import { equalJson } from '../protocol/json'

/** Set on what comes into a saved beam, and then whether this account shared it. */
export type NoteMark = Item['note']

export interface ItemsState {
  readonly items: readonly Item[]
  /** Names the server's memory of the beam that the items came from. */
  readonly epoch: string | null
}

export type ItemsEvent =
  /** This device shares something: shown at once, in order once the server echoes it. */
  | { type: 'shared'; id: ItemId; message: unknown; extra: string; at: number }
  | { type: 'received'; item: LiveItem; note?: NoteMark }
  | { type: 'deleted'; message: unknown; id?: ItemId | undefined }
  /** The whole of what the server has, once every page is there. */
  | { type: 'synced'; epoch: string; oldest: number; items: readonly LiveItem[]; note?: NoteMark }
  /** Every note of the beam, as the notes call answered. */
  | { type: 'notes'; notes: readonly Item[] }
  /** The beam cannot be reached any more: its notes are not for this page now. */
  | { type: 'notesGone' }
  | { type: 'left' }

const EMPTY: ItemsState = { items: [], epoch: null }

/** Every way the items can change, in one place. */
export function reduceItems(state: ItemsState, event: ItemsEvent): ItemsState {
  switch (event.type) {
    case 'shared':
      return { ...state, items: place(state.items, pendingItem(event, state.items)) }
    case 'received':
      return { ...state, items: place(state.items, liveItem(event.item, event.note ?? null)) }
    case 'deleted':
      return { ...state, items: state.items.filter((item) => !matches(item, event)) }
    case 'synced':
      return synced(state, event)
    case 'notes':
      return { ...state, items: withNotes(state.items, event.notes) }
    case 'notesGone':
      return { ...state, items: state.items.filter((item) => item.note === null) }
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
  const known = new Map(state.items.map((item) => [item.id, item.note]))
  // The notes call, which knows whose a note is, may have been faster.
  const items = event.items.map((item) => liveItem(item, known.get(item.id) ?? event.note ?? null))
  return { epoch: event.epoch, items: items.reduce(place, kept) }
}

/** The notes among the items, once each. What came live in the meantime is newer than the list. */
function withNotes(items: readonly Item[], notes: readonly Item[]): readonly Item[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  const listed = new Set(notes.map((note) => note.id))
  const newest = Math.max(...notes.map(order), -1)
  const wasDeleted = (item: Item) => item.note !== null && order(item) <= newest && !listed.has(item.id)
  const merged = notes.map((note) => {
    const here = byId.get(note.id)
    return here && order(here) >= order(note) ? { ...here, note: note.note } : note
  })
  return merged.reduce(
    place,
    items.filter((item) => !wasDeleted(item)),
  )
}

function place(items: readonly Item[], item: Item): readonly Item[] {
  const here = items.findIndex((other) => other.id === item.id)
  const known = here >= 0 && items[here]?.seq !== null
  // A change keeps the place of what it changes (B11); only what the server did not have comes into its order.
  if (known) return items.with(here, item)
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

function pendingItem(event: Extract<ItemsEvent, { type: 'shared' }>, items: readonly Item[]): Item {
  const { id, message, extra, at } = event
  const changed = items.find((item) => item.id === id)
  const { seq, from, note } = changed ?? { seq: null, from: null, note: null }
  return { id, message, extra, at, seq, from, content: parseContent(message, extra), note }
}

function liveItem(item: LiveItem, note: NoteMark): Item {
  const { id, message, extra, at, seq, from } = item
  return { id, message, extra, at, seq, from, content: parseContent(message, extra), note }
}

export function createItemsStore() {
  return createStore<ItemsState>()(() => EMPTY)
}
