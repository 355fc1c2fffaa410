/** The dialog about the beam as a whole that lies over the page. */
import { createStore } from 'zustand/vanilla'
import type { BeamId, ItemId } from '../protocol/bindings'
import type { Loss } from './losses'

/** What a person wants to do that leaves the current beam. */
export type Departure =
  | { readonly do: 'leave' }
  | { readonly do: 'new' }
  | { readonly do: 'join' }
  | { readonly do: 'scan' }
  | { readonly do: 'enter'; readonly beam: BeamId }
  /** Leaves the beam where it is open by the login. */
  | { readonly do: 'log-out' }

export type BeamDialogState =
  | { readonly kind: 'none' }
  /** The large QR code, with the link, the id and the short code. */
  | { readonly kind: 'code' }
  | { readonly kind: 'join' }
  | { readonly kind: 'scan' }
  | { readonly kind: 'recent' }
  | { readonly kind: 'language' }
  /** The keys of the canvas, also before its code is here. */
  | { readonly kind: 'keys' }
  /** What moves in this beam, and what waits of others. */
  | { readonly kind: 'transfers' }
  /** Asks to which device an item goes. */
  | { readonly kind: 'send'; readonly item: ItemId }
  /** How a card is sent or received. */
  | { readonly kind: 'details'; readonly card: ItemId }
  /** What is in an item that is many files, to choose from. */
  | { readonly kind: 'contents'; readonly card: ItemId }
  /** Asks before something is lost. */
  | { readonly kind: 'leaving'; readonly departure: Departure; readonly losses: readonly Loss[] }

export function createBeamDialogStore() {
  return createStore<BeamDialogState>()(() => ({ kind: 'none' }))
}
