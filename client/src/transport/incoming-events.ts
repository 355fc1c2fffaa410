/** What a file that is received tells of itself. */
import type { DeviceId } from '../protocol/bindings'
import type { TransferFailure } from '../protocol/transfer-failure'

/** `Received`: the file that comes. */
export interface IncomingEvents<Received> {
  /** The sink opened, or bytes became durable: more can be wanted. */
  onRoom(incoming: Received): void
  /** The start of the file that was asked for is durable. */
  onHead(incoming: Received, bytes: Uint8Array): void
  /** The hash of a piece is not known, with which it has to be compared. */
  onLacking(incoming: Received): void
  /** Devices gave chunks of a piece that is wrong. */
  onWrong(incoming: Received, piece: number, givers: readonly DeviceId[]): void
  /** A device gave chunks that do not open (E7). They are wanted again. */
  onUnopened(incoming: Received, giver: DeviceId): void
  /** The sink failed: to open, to take bytes, or to complete the file. */
  onBroken(incoming: Received, why: TransferFailure): void
}
