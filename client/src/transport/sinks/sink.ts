/** Where received bytes go while they arrive. */
import type { ItemId } from '../../protocol/bindings'

export interface Sink {
  /** Writes at a position. Resolves, or returns, once the bytes are safe from being lost by this page. */
  write(position: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> | void
  /** Ends well. Gives the file, or null when it went to a file that the person picked. */
  finish(): Promise<Blob | null>
  /** Gives back what the file took, before its end or after. */
  discard(): Promise<void>
}

/** What a sink must know of the file that comes. */
export interface SinkFile {
  readonly id: ItemId
  /** Bytes. */
  readonly size: number
  readonly type: string
}

/** A place that keeps received files until their item is gone. */
export interface FileStore {
  /** @throws NoRoom when there is no room for the file; anything else when the place is of no use here */
  open(file: SinkFile): Promise<Sink>
  /** Gives back what all files of an item took, finished or not. */
  forget(id: ItemId): Promise<void>
}

/** There is no room for the file; the message is for the person. */
export class NoRoom extends Error {}
