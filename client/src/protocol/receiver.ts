/**
 * The receiving end of one transfer. It is told what came and what was written, and says what to want next.
 * Nothing here depends on the order of a link, or on how many links there are.
 */
import { CHUNK_BYTES } from './bindings'
import { type ChunkRange, ChunkSet } from './chunk-set'

/** Chunks asked for in one `want`: few messages, and still small beside the window. */
const WANT_CHUNKS = 16

/** Names a link to a device; a rebuilt link has another key. */
export type LinkKey = string

export class Receiver {
  readonly #total: number
  /** Wanted, arrived or durable: everything that need not be asked for. */
  readonly #asked = new ChunkSet()
  readonly #arrived = new ChunkSet()
  readonly #durable = new ChunkSet()
  /** Wanted on a link and not yet here. */
  readonly #onLink = new Map<LinkKey, ChunkSet>()

  /** @param size bytes of the file */
  constructor(readonly size: number) {
    this.#total = chunkCount(size)
  }

  get isComplete(): boolean {
    return this.#durable.size === this.#total
  }

  /** Bytes that are durable. */
  get received(): number {
    return Math.min(this.size, this.#durable.size * CHUNK_BYTES)
  }

  /** Bytes wanted and not yet durable: what counts against the window (F4). */
  get outstanding(): number {
    return (this.#asked.size - this.#durable.size) * CHUNK_BYTES
  }

  /** Whether something is still to come on this link. */
  isWaitingOn(link: LinkKey): boolean {
    return (this.#onLink.get(link)?.size ?? 0) > 0
  }

  /**
   * Wants the next chunks on a link; null when all are asked for, or when they would be more than `room` bytes. A want
   * is whole or the last: no trickle of single chunks.
   */
  want(link: LinkKey, room: number): ChunkRange | null {
    const next = this.#asked.firstGap(this.#total, WANT_CHUNKS)
    if (!next || next.count * CHUNK_BYTES > room) return null
    this.#asked.add(next)
    this.#linkSet(link).add(next)
    return next
  }

  /**
   * Chunks arrived; says which of them to write. What was not wanted, is here already, or has a length that the
   * file does not have is dropped (F3, F5).
   */
  arrived(first: number, byteLength: number): ChunkRange[] {
    const count = Math.ceil(byteLength / CHUNK_BYTES)
    if (first + count > this.#total || byteLength !== rangeBytes({ first, count }, this.size)) return []
    const fresh = this.#asked.within({ first, count }).flatMap((part) => this.#arrived.missing(part))
    for (const part of fresh) this.#arrived.add(part)
    for (const wanted of this.#onLink.values()) wanted.remove({ first, count })
    return fresh
  }

  /** The sink has these for good. */
  wrote(range: ChunkRange): void {
    this.#durable.add(range)
  }

  /** A link is gone: what was to come on it is wanted again on the next (F6). */
  lost(link: LinkKey): void {
    for (const range of this.#onLink.get(link)?.ranges() ?? []) this.#asked.remove(range)
    this.#onLink.delete(link)
  }

  #linkSet(link: LinkKey): ChunkSet {
    const known = this.#onLink.get(link)
    if (known) return known
    const fresh = new ChunkSet()
    this.#onLink.set(link, fresh)
    return fresh
  }
}

/** How many chunks a file of `size` bytes has; an empty file has none. */
export function chunkCount(size: number): number {
  return Math.ceil(size / CHUNK_BYTES)
}

/** Bytes of a range of chunks in a file of `size` bytes; the last chunk may be short. */
export function rangeBytes({ first, count }: ChunkRange, size: number): number {
  return Math.min(size, (first + count) * CHUNK_BYTES) - first * CHUNK_BYTES
}
