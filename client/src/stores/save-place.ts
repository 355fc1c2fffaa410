/** Where this device saves what it receives. */
import { createStore } from 'zustand/vanilla'

export type SavePlaceState =
  /** The browser decides: it has no folders that a page could keep. */
  | { readonly status: 'unsupported' }
  /** The browser's own downloads; several files ask for a folder each time. */
  | { readonly status: 'downloads' }
  | { readonly status: 'kept'; readonly name: string }

export function createSavePlaceStore() {
  return createStore<SavePlaceState>()(() => ({ status: 'unsupported' }))
}
