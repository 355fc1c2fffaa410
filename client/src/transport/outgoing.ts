/** One file that is sent to one device: how much of it has left, and the block of it that was read last. */
import { CHUNK_BYTES, type DeviceId, type ItemId } from '../protocol/bindings'
import { Carriers } from '../protocol/carriers'
import type { ChunkRange } from '../protocol/chunk-set'
import type { ControlFrame } from '../protocol/frames'
import type { LinkKey } from '../protocol/receiver'
import { Sender } from '../protocol/sender'
import type { Carrying } from './engine-messages'
import { Speed } from './progress'

/** The receiving device, as far as a transfer needs it. */
export interface Addressee {
  readonly id: DeviceId
  readonly links: readonly {
    readonly key: LinkKey
    readonly queue: { forget(outgoing: Outgoing): void; has(outgoing: Outgoing): boolean }
    readonly wire: { readonly unsent: number }
  }[]
  carrying(links: readonly LinkKey[]): Carrying
  end(frame: Extract<ControlFrame, { type: 'done' | 'cancel' }>, now: number): void
}

export class Outgoing {
  readonly sender: Sender
  readonly speed = new Speed()
  readonly carriers = new Carriers()
  /** When it last had something to send, in milliseconds. */
  busyAt = 0
  /** `paused`: by the person here; `pausedThere`: by the one at the other device (F18). */
  state: 'moving' | 'parked' | 'paused' | 'pausedThere' | 'cancelled' | 'failed' | 'done' = 'moving'
  /** A block that was read ahead, so that reads are few and large; released once its last chunk is taken. */
  #block: { first: number; bytes: Uint8Array } | null = null

  constructor(
    readonly id: ItemId,
    readonly file: Blob,
    readonly to: Addressee,
  ) {
    this.sender = new Sender(file.size)
  }

  /** Whether anything of it is wanted and has not been sent. */
  get isWanted(): boolean {
    return this.to.links.some(({ queue }) => queue.has(this))
  }

  /** Returns the links on which it goes. */
  via(now: number): Carrying {
    const isBusy = (key: LinkKey) =>
      this.to.links.some((link) => link.key === key && (link.queue.has(this) || link.wire.unsent > 0))
    return this.to.carrying(this.carriers.look(isBusy, now))
  }

  get hasEnded(): boolean {
    return this.state === 'done' || this.state === 'cancelled' || this.state === 'failed'
  }

  /** Returns the bytes of chunks that are already read; null when they are not. */
  ready({ first, count }: ChunkRange): Uint8Array | null {
    const block = this.#block
    if (!block || first < block.first) return null
    const from = (first - block.first) * CHUNK_BYTES
    const to = Math.min(from + count * CHUNK_BYTES, from + this.file.size - first * CHUNK_BYTES)
    if (to > block.bytes.byteLength) return null
    if (to === block.bytes.byteLength) this.#block = null
    return block.bytes.subarray(from, to)
  }

  /** Reads chunks and `ahead` further ones. Returns null when the file is gone or has changed on the disk. */
  async read(range: ChunkRange, ahead: number): Promise<Uint8Array | null> {
    const start = range.first * CHUNK_BYTES
    try {
      const end = Math.min(start + (range.count + ahead) * CHUNK_BYTES, this.file.size)
      const bytes = new Uint8Array(await this.file.slice(start, end).arrayBuffer())
      // Firefox leaves out what a file has lost on the disk. Of many files as one, those behind it would move up.
      if (bytes.byteLength < end - start) return null
      this.#block = { first: range.first, bytes }
    } catch {
      return null
    }
    return this.ready(range)
  }
}
