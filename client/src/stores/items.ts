/** The items in the beam's order. Items that the server does not have yet come last. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'
import { addressee, type Item, type NoteMarks } from '../protocol/item'
import { equalJson } from '../protocol/json'

export interface ItemsState {
  readonly items: readonly Item[]
  /** Identifies the server's memory that the items came from (S11). */
  readonly epoch: string | null
}

export type ItemsEvent =
  /** This device shared an item: shown at once, and put in order by the server's echo. */
  | { type: 'shared'; item: Item }
  | { type: 'received'; item: Item }
  | { type: 'deleted'; message: unknown; id?: ItemId | undefined }
  /** The server refused an item, which is not sent again. */
  | { type: 'refused'; id: ItemId; why: string }
  /** Everything that the server has, once every page has arrived. `saved`: the server stores the beam, because it is saved or kept. */
  | { type: 'synced'; epoch: string; oldest: number; items: readonly Item[]; saved: boolean }
  /** Whose the notes of the beam are, as H30 answered. What is in the beam, the live channel alone says (E4). */
  | { type: 'notes'; marks: NoteMarks }
  /** The beam is no longer accessible, so its notes are not shown. */
  | { type: 'notesGone' }
  | { type: 'left' }

type Synced = Extract<ItemsEvent, { type: 'synced' }>

const EMPTY: ItemsState = { items: [], epoch: null }

/** Applies an event to the items. The time is linear in the number of items. */
export function reduceItems(state: ItemsState, event: ItemsEvent): ItemsState {
  switch (event.type) {
    case 'shared':
      return { ...state, items: place(state.items, [pending(event.item, state.items)]) }
    case 'received':
      return { ...state, items: place(state.items, [event.item]) }
    case 'deleted':
      return { ...state, items: state.items.filter((item) => !matches(item, event)) }
    case 'refused':
      return { ...state, items: state.items.map((item) => refused(item, event)) }
    case 'synced':
      return synced(state, event)
    case 'notes':
      return {
        ...state,
        items: state.items.map((item) => marked(item, event.marks.get(item.id) ?? item.note)),
      }
    case 'notesGone':
      return { ...state, items: state.items.filter((item) => item.note === null) }
    case 'left':
      return EMPTY
  }
}

function synced(state: ItemsState, event: Synced): ItemsState {
  const known = new Map(state.items.map((item) => [item.id, item]))
  const items = event.items.map((item) => {
    const here = known.get(item.id)
    // A refused text is replaced only by a newer version, so that it is not lost.
    if (here?.refusal !== undefined && here.seq === item.seq) return here
    return stillChanged(marked(item, here?.note ?? item.note), here)
  })
  return {
    epoch: event.epoch,
    items: place(keptAfter(state, event), items),
  }
}

/**
 * Returns the items that a sync leaves here; the others were deleted while this device was away (S11). These are all at or
 * after `oldest` that the server lacks, and every note that it stored at some time. In another epoch, the server of an
 * unsaved beam that nobody keeps has forgotten everything: what is here then stays here, and the server gets it back (S28).
 */
function keptAfter(state: ItemsState, event: Synced): readonly Item[] {
  const { items, epoch } = state
  const isSame = epoch === event.epoch
  if (!isSame && !event.saved) return items
  const there = new Set(event.items.map((item) => item.id))
  const isLacking = ({ id, seq }: Item) => seq !== null && !there.has(id)
  const wasThere = (item: Item) => order(item) >= (item.note === null || isSame ? event.oldest : 0)
  // Items for one device are not stored (S33): with another epoch the server has forgotten them.
  const isForgotten = (item: Item) => !isSame && item.to !== undefined
  return items.filter((item) => isForgotten(item) || !(isLacking(item) && wasThere(item)))
}

/**
 * Merges items into others. A changed item keeps its place (B11), also for devices that come later: its time is still
 * that of its first version (S9). A new one goes behind the last item that is not newer.
 */
function place(items: readonly Item[], incoming: readonly Item[]): readonly Item[] {
  const fresh = new Map(incoming.map((item) => [item.id, item]))
  const placed: Item[] = []
  for (const here of items) {
    const item = fresh.get(here.id)
    if (item && here.seq === null) continue
    placed.push(item ?? here)
    if (item) fresh.delete(here.id)
  }
  const newcomers = [...fresh.values()].sort((a, b) => age(a) - age(b) || order(a) - order(b) || 0)
  return newcomers.length === 0 ? placed : merge(placed, newcomers)
}

/** Merges two lists. `sorted` is in order; `items` may not be, because a changed item keeps its place. */
function merge(items: readonly Item[], sorted: readonly Item[]): readonly Item[] {
  const oldestFrom = items.map(age)
  for (let at = items.length - 2; at >= 0; at--) {
    oldestFrom[at] = Math.min(oldestFrom[at] ?? 0, oldestFrom[at + 1] ?? Number.POSITIVE_INFINITY)
  }
  const merged: Item[] = []
  const waiting = sorted.toReversed()
  for (const [at, item] of items.entries()) {
    // All items from here on are newer.
    while (age(waiting.at(-1)) < (oldestFrom[at] ?? 0)) merged.push(...waiting.splice(-1))
    merged.push(item)
  }
  return [...merged, ...waiting.reverse()]
}

/** When an item was shared first, by the server's clock. What it has not confirmed comes last. */
function age(item: Item | undefined): number {
  return item === undefined || item.seq === null ? Number.POSITIVE_INFINITY : item.at
}

function order(item: Item | undefined): number {
  return item?.seq ?? Number.POSITIVE_INFINITY
}

function matches(item: Item, deleted: { message: unknown; id?: ItemId | undefined }): boolean {
  if (deleted.id !== undefined) return item.id === deleted.id
  // Deleting by content concerns what everybody has (S33).
  return item.to === undefined && equalJson(item.message, deleted.message)
}

function marked(item: Item, note: Item['note']): Item {
  return item.note?.mine === note?.mine ? item : { ...item, note }
}

/** Replaces an item that is changed but not yet confirmed, keeping what the server said of it. */
function pending(item: Item, items: readonly Item[]): Item {
  const changed = items.find(({ id }) => id === item.id)
  if (!changed) return item
  const { seq, from, at, note, to } = changed
  const change = seq !== null && ({ isChanged: true } as const)
  return { ...item, seq, from, at, note, ...addressee(to), ...change }
}

/** The server may have been told a change meanwhile, or not: its echo says so. Any other version counts. */
function stillChanged(item: Item, here: Item | undefined): Item {
  const isWaiting = here?.isChanged && equalJson(here.message, item.message)
  if (!isWaiting) return item
  return { ...item, isChanged: true, ...(here.inClearTo && { inClearTo: here.inClearTo }) }
}

function refused(item: Item, { id, why }: { id: ItemId; why: string }): Item {
  return item.id === id ? { ...item, refusal: why } : item
}

export function createItemsStore() {
  return createStore<ItemsState>()(() => EMPTY)
}
