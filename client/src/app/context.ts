/** The objects that the parts of the composition root share. */
import type { Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import type { Toaster } from './toaster'

/** Objects that live as long as the page. */
export interface PageContext {
  readonly stores: Stores
  readonly toaster: Toaster
  readonly transfers: Transfers
}

export interface Context extends PageContext {
  /** The live channel of the current beam; null while the page is in none. */
  readonly live: () => LiveBeam | null
}
