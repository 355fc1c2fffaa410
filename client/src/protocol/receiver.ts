/**
 * The receiving end of one transfer: told what arrived and what was written, it decides what to want next. It depends
 * neither on the order of chunks on a link nor on the number of links.
 */
import { CHUNK_BYTES } from './bindings'
import { type ChunkRange, ChunkSet } from './chunk-set'

/** Chunks in one `want`: enough for few messages, and small compared with the window. */
const WANT_CHUNKS = 16
/** The part of a file that may be asked for twice: what links have lost, and what is wanted on a second one meanwhile. */
const TWICE = 0.02

/** Identifies one link to a device; a rebuilt link has another key. */
export type LinkKey = string

export class Receiver {
  readonly #total: number
  /** Chunks wanted, arrived or durable: all that need not be asked for. */
  readonly #asked = new ChunkSet()
  readonly #arrived = new ChunkSet()
  readonly #durable = new ChunkSet()
  /** Chunks wanted on a link and not yet arrived. */
  readonly #onLink = new Map<LinkKey, ChunkSet>()
  /** How many chunks were asked for on a second link, or have to be because they were lost on the first. */
  #askedTwice = 0
  #twice = 0

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

  /** The chunks that are durable. */
  get durable(): ChunkRange[] {
    return this.#durable.ranges()
  }

  /** Bytes that arrived again after they had arrived. */
  get twice(): number {
    return this.#twice
  }

  /** Bytes wanted and not yet durable. */
  get outstanding(): number {
    return (this.#asked.size - this.#durable.size) * CHUNK_BYTES
  }

  /** Bytes that arrived and are not yet durable. */
  get writing(): number {
    return (this.#arrived.size - this.#durable.size) * CHUNK_BYTES
  }

  /** Bytes that were not asked for yet. */
  get unasked(): number {
    return (this.#total - this.#asked.size) * CHUNK_BYTES
  }

  /** Returns the chunks that are expected on some links. */
  expectedOn(links: Iterable<LinkKey>): ChunkRange[] {
    return [...links].flatMap((link) => this.#onLink.get(link)?.ranges() ?? [])
  }

  /** Returns the first chunks that were not asked for, at most `limit`; null when all were. */
  firstGap(limit: number): ChunkRange | null {
    return this.#asked.firstGap(this.#total, limit)
  }

  /** Returns the chunks of a range that were not asked for. */
  gaps({ first, count }: ChunkRange): ChunkRange[] {
    return this.#asked.missing({ first, count: Math.min(count, this.#total - first) })
  }

  /** Whether every chunk of a range is durable. */
  isDurable(range: ChunkRange): boolean {
    return this.#durable.missing(range).length === 0
  }

  /** Bytes that are expected on this link. */
  waitingOn(link: LinkKey): number {
    return (this.#onLink.get(link)?.size ?? 0) * CHUNK_BYTES
  }

  /**
   * Returns the next chunks to want on a link, or null when all are asked for, or when there is room for less than a
   * full `want` and than the rest of the file: never a single chunk that happens to fit.
   * @param most bytes of the largest `want` on this link
   * @param room bytes that may be wanted at all
   * @param choose returns chunks that were not asked for, at most so many; null for none
   */
  want(
    link: LinkKey,
    most: number,
    room: number,
    choose: (limit: number) => ChunkRange | null = (limit) => this.firstGap(limit),
  ): ChunkRange | null {
    const limit = Math.max(1, Math.min(WANT_CHUNKS, Math.floor(most / CHUNK_BYTES)))
    const next = choose(limit)
    if (!next || next.count * CHUNK_BYTES > room) return null
    this.#asked.add(next)
    this.#linkSet(link).add(next)
    return next
  }

  /** Returns the next chunks to want on a link in one piece, of at most so many bytes; null when all are asked for. */
  wantRun(link: LinkKey, most: number): ChunkRange | null {
    const next = this.firstGap(Math.max(1, Math.floor(most / CHUNK_BYTES)))
    if (!next) return null
    this.#asked.add(next)
    this.#linkSet(link).add(next)
    return next
  }

  /**
   * Returns chunks that are expected on the slow link, to want them on the fast one too: the last ones, which would
   * arrive there last. Null when none is left, or when too much was asked for twice already.
   */
  wantTwice(slow: LinkKey, fast: LinkKey, most: number): ChunkRange | null {
    const left = Math.floor((this.size * TWICE) / CHUNK_BYTES) - this.#askedTwice
    const [last] = this.#onLink.get(slow)?.ranges().slice(-1) ?? []
    if (!last || left <= 0) return null
    const count = Math.min(last.count, left, Math.max(1, Math.floor(most / CHUNK_BYTES)))
    const range = { first: last.first + last.count - count, count }
    this.#askedTwice += count
    this.#onLink.get(slow)?.remove(range)
    this.#linkSet(fast).add(range)
    return range
  }

  /**
   * Notes arrived chunks and returns those to write. Dropped are chunks that were not wanted of the device, that are
   * already here, or whose length does not fit the file (F3, F5).
   * @param links those to the device from which they came
   */
  arrived(first: number, byteLength: number, links: Iterable<LinkKey>): ChunkRange[] {
    const count = Math.ceil(byteLength / CHUNK_BYTES)
    if (first + count > this.#total || byteLength !== rangeBytes({ first, count }, this.size)) return []
    for (const part of this.#arrived.within({ first, count })) this.#twice += rangeBytes(part, this.size)
    const fresh: ChunkRange[] = []
    for (const link of links) {
      const wanted = this.#onLink.get(link)
      const parts = wanted?.within({ first, count }) ?? []
      for (const part of parts) {
        wanted?.remove(part)
        this.#arrived.add(part)
      }
      fresh.push(...parts)
    }
    return fresh
  }

  /** An earlier page has received these chunks. Called before anything is wanted. */
  resumes(ranges: readonly ChunkRange[]): void {
    for (const range of ranges) for (const set of [this.#asked, this.#arrived, this.#durable]) set.add(range)
  }

  /** The sink has stored these chunks durably. */
  wrote(range: ChunkRange): void {
    this.#durable.add(range)
  }

  /** Chunks that are durable are wrong: they are wanted again (F19). */
  refused(range: ChunkRange): void {
    for (const set of [this.#asked, this.#arrived, this.#durable]) set.remove(range)
  }

  /** Makes everything expected on a link that is gone wanted again on the next (F6). */
  lost(link: LinkKey): void {
    for (const range of this.#onLink.get(link)?.ranges() ?? []) {
      this.#asked.remove(range)
      this.#askedTwice += range.count
    }
    this.#onLink.delete(link)
  }

  /** Makes everything expected wanted again: what still arrives of it is dropped. */
  lostAll(): void {
    for (const link of [...this.#onLink.keys()]) this.lost(link)
  }

  #linkSet(link: LinkKey): ChunkSet {
    const known = this.#onLink.get(link)
    if (known) return known
    const fresh = new ChunkSet()
    this.#onLink.set(link, fresh)
    return fresh
  }
}

/** Returns how many chunks a file of `size` bytes has; 0 for an empty file. */
export function chunkCount(size: number): number {
  return Math.ceil(size / CHUNK_BYTES)
}

/** Returns how many bytes a range of chunks has in a file of `size` bytes; the last chunk may be short. */
export function rangeBytes({ first, count }: ChunkRange, size: number): number {
  return Math.min(size, (first + count) * CHUNK_BYTES) - first * CHUNK_BYTES
}
