/** The full view of a file: closed, or open on an item. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'

/** Which item is the next one: the order in which the page shows them. */
export type ViewOrder = 'oldest-first' | 'newest-first'

export type FullViewState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly id: ItemId; readonly order: ViewOrder }

export function createFullViewStore() {
  return createStore<FullViewState>()(() => ({ kind: 'closed' }))
}
