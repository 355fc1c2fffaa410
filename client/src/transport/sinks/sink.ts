/** Where received bytes go while they arrive. */

export interface Sink {
  /** Writes at a position. Resolves, or returns, once the bytes are safe from being lost by this page. */
  write(position: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> | void
  /** Ends well. Gives the file, or null when it went to a file that the person picked. */
  finish(): Promise<Blob | null>
  /** Ends badly and leaves nothing behind. */
  abort(): Promise<void>
}

/** What a sink must know of the file that comes. */
export interface SinkFile {
  readonly id: string
  readonly size: number
  readonly type: string
}

/** There is no room for the file; the message is for the person. */
export class NoRoom extends Error {}
