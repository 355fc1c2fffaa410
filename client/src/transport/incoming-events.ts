/** What a file that is received tells of itself. */
import type { DeviceId } from '../protocol/bindings'
import type { TransferFailure } from '../protocol/transfer-failure'
import type { Incoming } from './incoming'

export interface IncomingEvents {
  /** The sink opened, or bytes became durable: more can be wanted. */
  onRoom(incoming: Incoming): void
  /** The start of the file that was asked for is durable. */
  onHead(incoming: Incoming, bytes: Uint8Array): void
  /** The hash of a piece is not known, with which it has to be compared. */
  onLacking(incoming: Incoming): void
  /** Devices gave chunks of a piece that is wrong. */
  onWrong(incoming: Incoming, piece: number, givers: readonly DeviceId[]): void
  /** A device gave chunks that do not open (E7). They are wanted again. */
  onUnopened(incoming: Incoming, giver: DeviceId): void
  /** The sink failed: to open, to take bytes, or to complete the file. */
  onBroken(incoming: Incoming, why: TransferFailure): void
}
