/** What the person looks for among the items. */
import { createStore } from 'zustand/vanilla'
import type { ItemId } from '../protocol/bindings'

/** The kinds by which items are filtered. Recordings and videos are files. */
export type SearchKind = 'text' | 'link' | 'picture' | 'file' | 'note'

export interface SearchState {
  readonly text: string
  /** Only items of this kind match; null for all kinds. */
  readonly kind: SearchKind | null
  /** The cards of matching items; null while nothing is looked for. */
  readonly found: ReadonlySet<ItemId> | null
}

export const NO_SEARCH: SearchState = { text: '', kind: null, found: null }

export function createSearchStore() {
  return createStore<SearchState>()(() => NO_SEARCH)
}

/** Whether a card is set aside, because something else is looked for. */
export function isSetAside({ found }: SearchState, id: ItemId): boolean {
  return found !== null && !found.has(id)
}
