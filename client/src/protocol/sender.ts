/** The sending end of one transfer to one device. It sends what was wanted, on the link on which it was wanted (F3). */
import { type ChunkRange, ChunkSet } from './chunk-set'
import { chunkCount, type LinkKey, rangeBytes } from './receiver'

export class Sender {
  readonly #total: number
  readonly #wanted = new Map<LinkKey, ChunkSet>()
  readonly #sent = new ChunkSet()
  #sentBytes = 0

  /** @param size bytes of the file */
  constructor(readonly size: number) {
    this.#total = chunkCount(size)
  }

  /** Bytes of the file that were handed to a link at least once. */
  get sent(): number {
    return this.#sentBytes
  }

  /** The receiver wants chunks; what the file does not have is ignored. */
  want(link: LinkKey, { first, count }: ChunkRange): void {
    const end = Math.min(first + count, this.#total)
    if (end <= first) return
    const wanted = this.#wanted.get(link) ?? new ChunkSet()
    wanted.add({ first, count: end - first })
    this.#wanted.set(link, wanted)
  }

  isWantedOn(link: LinkKey): boolean {
    return (this.#wanted.get(link)?.size ?? 0) > 0
  }

  /** Takes the next chunks to send on a link, in one piece of at most `limit`; null when nothing is wanted there. */
  next(link: LinkKey, limit: number): ChunkRange | null {
    const wanted = this.#wanted.get(link)
    const [range] = wanted?.ranges() ?? []
    if (!wanted || !range) return null
    const piece = { first: range.first, count: Math.min(limit, range.count) }
    wanted.remove(piece)
    for (const fresh of this.#sent.missing(piece)) this.#sentBytes += rangeBytes(fresh, this.size)
    this.#sent.add(piece)
    return piece
  }

  /** A link is gone: the receiver will want again on another. */
  lost(link: LinkKey): void {
    this.#wanted.delete(link)
  }
}
