/** The sending end of one transfer to one device: which chunks the file has, and which of them have left. */
import { CHUNK_BYTES } from './bindings'
import { type ChunkRange, ChunkSet } from './chunk-set'
import { chunkCount, rangeBytes } from './receiver'

export class Sender {
  readonly #total: number
  readonly #sent = new ChunkSet()
  /** Chunks that the receiver had before. */
  readonly #before = new ChunkSet()
  /** The chunk behind the last one that was wanted. */
  #wantedTo = 0
  #sentBytes = 0
  #twice = 0

  /** @param size bytes of the file */
  constructor(readonly size: number) {
    this.#total = chunkCount(size)
  }

  /** Bytes of the file that were handed to a link, each counted once, or that the receiver had before. */
  get sent(): number {
    return this.#before.size * CHUNK_BYTES + this.#sentBytes
  }

  /** Bytes that were handed to a link again. */
  get twice(): number {
    return this.#twice
  }

  /** Returns the part of a range that the file has; null when it has none of it. */
  within({ first, count }: ChunkRange): ChunkRange | null {
    const end = Math.min(first + count, this.#total)
    return end > first ? { first, count: end - first } : null
  }

  /**
   * Notes that chunks are wanted. A receiver that wants them in order has those that it leaves out, as from an earlier page
   * of this device.
   */
  wanted(range: ChunkRange, isInOrder: boolean): void {
    const count = range.first - this.#wantedTo
    if (isInOrder && count > 0) this.#before.add({ first: this.#wantedTo, count })
    this.#wantedTo = Math.max(this.#wantedTo, range.first + range.count)
    this.#before.remove(range)
  }

  /** Notes that chunks were handed to a link. */
  gave(range: ChunkRange): void {
    for (const again of this.#sent.within(range)) this.#twice += rangeBytes(again, this.size)
    for (const fresh of this.#sent.missing(range)) this.#sentBytes += rangeBytes(fresh, this.size)
    this.#sent.add(range)
  }
}
