/** The objects that the parts of the composition root share. */
import type { Stores } from '../stores/stores'
import type { Transfers } from '../transport/transfers'
import type { BeamChannel } from './beam-channel'
import type { Toaster } from './toaster'

/** Takes changes of items to the other devices. */
export type ItemChannel = Pick<
  BeamChannel,
  'share' | 'delete' | 'deletions' | 'cameClear' | 'heldBack' | 'offersAgain'
>

/** Objects that live as long as the page. */
export interface PageContext {
  readonly stores: Stores
  readonly toaster: Toaster
  readonly transfers: Transfers
}

export interface Context extends PageContext {
  /** What items of the current beam go through; null while the page is in none. */
  readonly live: () => ItemChannel | null
}
