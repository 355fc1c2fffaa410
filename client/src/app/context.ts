/** What the parts of the composition root share. */
import type { Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import type { Toaster } from './toaster'

/** What lives as long as the page. */
export interface PageContext {
  readonly stores: Stores
  readonly toaster: Toaster
  readonly transfers: Transfers
}

export interface Context extends PageContext {
  /** The live channel of the beam that this page is in, if any. */
  readonly live: () => LiveBeam | null
}
