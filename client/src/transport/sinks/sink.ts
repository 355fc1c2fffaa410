/** The places where received bytes are written. */
import type { ItemId } from '../../protocol/bindings'
import type { TransferFailure } from '../../protocol/transfer-failure'

export interface Sink {
  /** Whether the finished file outlives the page. */
  readonly isKept: boolean
  /** Writes at a byte position. Resolves, or returns, once the bytes are durable. */
  write(position: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> | void
  /** Completes the file and returns it; null when it went to a file that the person picked. */
  finish(): Promise<Blob | null>
  /** Removes what was written, before or after the end. */
  discard(): Promise<void>
}

/** The description of a file that will be received. */
export interface SinkFile {
  readonly id: ItemId
  /** In bytes. */
  readonly size: number
  readonly type: string
}

/** A place where received files stay until their item is gone. */
export interface FileStore {
  /** @throws NoRoom when there is no room for the file; any other error when the store cannot be used here */
  open(file: SinkFile): Promise<Sink>
  /** Returns the complete file that this page or an earlier one received; null when there is none of that size. */
  find(file: SinkFile): Promise<Blob | null>
  /** Removes all files of an item, complete or not. */
  forget(id: ItemId): Promise<void>
}

/** There is no room for the file. */
export class NoRoom extends Error {
  constructor(readonly why: TransferFailure) {
    super(why.reason)
  }
}
