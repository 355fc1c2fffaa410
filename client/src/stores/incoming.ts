/** The sheet that shows a batch which comes from another device. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'

export interface IncomingState {
  /** The batch in the sheet; null while the sheet is away. */
  readonly shown: ItemId | null
  /** Batches that came while this page was open, and whose sheet has not been shown by itself yet. */
  readonly fresh: ReadonlySet<ItemId>
}

export type IncomingEvent =
  | { type: 'arrived'; ids: readonly ItemId[] }
  | { type: 'shown'; id: ItemId }
  /** It is not shown by itself any more, because the person is busy with something else. */
  | { type: 'passed'; id: ItemId }
  | { type: 'putAway' }

const EMPTY: IncomingState = { shown: null, fresh: new Set() }

/** Applies an event to the sheet. */
export function reduceIncoming(state: IncomingState, event: IncomingEvent): IncomingState {
  switch (event.type) {
    case 'arrived':
      return { ...state, fresh: new Set([...state.fresh, ...event.ids]) }
    case 'shown':
      return { shown: event.id, fresh: without(state.fresh, event.id) }
    case 'passed':
      return { ...state, fresh: without(state.fresh, event.id) }
    case 'putAway':
      return { ...state, shown: null }
  }
}

function without(ids: ReadonlySet<ItemId>, gone: ItemId): ReadonlySet<ItemId> {
  return new Set([...ids].filter((id) => id !== gone))
}

export function createIncomingStore() {
  return createStore<IncomingState>()(() => EMPTY)
}
