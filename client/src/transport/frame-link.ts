/** A link that carries frames to one device: a data channel, a port in place of one, or the server's relay. */
import type { LinkKey } from '../protocol/receiver'

/** A device that lets more than this wait for it does not read. Chunks wait for room far below. */
export const MOST_UNSENT_BYTES = 8 * 1024 * 1024

export interface FrameLink {
  /** Identifies this link; a rebuilt one has another key. */
  readonly key: LinkKey
  readonly kind: 'direct' | 'relay'
  /** Largest frame in bytes (F8). */
  maxFrame: number
  /** Sends a frame of chunks. Its sender waits for `room()` first. A link that cannot take it closes, after this call. */
  send(frame: Uint8Array<ArrayBuffer>): void
  /** Sends any other frame at once, before the chunks that wait where the link can. It closes as with `send`. */
  say(frame: Uint8Array<ArrayBuffer>): void
  /** Bytes that were handed over and have not left this device yet, as far as the link can tell. */
  readonly unsent: number
  /** Bytes of those frames that `say` was given and that have not left this device yet, as far as the link can tell. */
  readonly unsaid: number
  /** Null when a chunk can be sent now; else a promise that resolves once it can, or once the link is closed. */
  room(): Promise<void> | null
  close(): void
}

export interface FrameLinkEvents {
  onOpen(): void
  onFrame(frame: ArrayBuffer): void
  onClose(): void
}
