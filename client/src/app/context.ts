/** What the parts of the composition root share. */
import type { Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import type { Toaster } from './toaster'

export interface Context {
  readonly stores: Stores
  readonly toaster: Toaster
  readonly transfers: Transfers
  /** The live channel of the beam that this page is in, if any. */
  readonly live: () => LiveBeam | null
}
