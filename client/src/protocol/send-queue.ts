/**
 * The chunks that another device wants on one link. Transfers take turns, one frame each, so none holds up another
 * (F3).
 */
import { type ChunkRange, ChunkSet } from './chunk-set'

/** Most separate ranges kept for a transfer; a receiver wants the chunks of a file nearly in their order (F3). */
const MOST_PIECES = 256

/** The next frame to send. */
export interface Turn<T> {
  readonly transfer: T
  readonly range: ChunkRange
}

export class SendQueue<T> {
  /** In the order of their turns. */
  readonly #wanted = new Map<T, ChunkSet>()
  /** The frame that was taken and has not been sent yet. */
  #taken: Turn<T> | null = null

  /** Number of transfers with something to send. */
  get size(): number {
    return this.#wanted.size
  }

  /** Whether anything of a transfer remains to be sent. */
  has(transfer: T): boolean {
    return this.#wanted.has(transfer) || this.#taken?.transfer === transfer
  }

  /** The device wants chunks of a transfer. Those of the taken frame are about to be sent anyway. */
  want(transfer: T, range: ChunkRange): void {
    const wanted = this.#wanted.get(transfer) ?? new ChunkSet()
    if (wanted.pieces >= MOST_PIECES) return
    wanted.add(range)
    if (this.#taken?.transfer === transfer) wanted.remove(this.#taken.range)
    if (wanted.size > 0) this.#wanted.set(transfer, wanted)
  }

  /**
   * Takes one frame of at most `limit` chunks from the transfer whose turn it is; null when nothing is wanted. Call
   * `sent` once it has left, or will not.
   */
  next(limit: number): Turn<T> | null {
    const [turn] = this.#wanted
    if (!turn) return null
    const [transfer, wanted] = turn
    this.#wanted.delete(transfer)
    const range = wanted.firstRange(limit)
    if (!range) return this.next(limit)
    wanted.remove(range)
    if (wanted.size > 0) this.#wanted.set(transfer, wanted)
    this.#taken = { transfer, range }
    return this.#taken
  }

  sent(): void {
    this.#taken = null
  }

  /** Drops a transfer that has ended. */
  forget(transfer: T): void {
    this.#wanted.delete(transfer)
    if (this.#taken?.transfer === transfer) this.#taken = null
  }

  /** Drops everything, because the link is gone; the receiver wants it again on another (F6). */
  clear(): void {
    this.#wanted.clear()
    this.#taken = null
  }
}
