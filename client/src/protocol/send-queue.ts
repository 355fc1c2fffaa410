/**
 * The chunks that another device wants on one link. Transfers take turns, one frame each, so none holds up another
 * (F3).
 */
import { type ChunkRange, ChunkSet } from './chunk-set'

/** Most separate ranges kept for a transfer; a receiver wants the chunks of a file nearly in their order (F3). */
const MOST_PIECES = 256
/** Most frames that are taken at a time. Some may be read for long, and those of other files are sent meanwhile. */
const MOST_TAKEN = 8

/** The next frame to send. */
export interface Turn<T> {
  readonly transfer: T
  readonly range: ChunkRange
}

export class SendQueue<T> {
  /** In the order of their turns. */
  readonly #wanted = new Map<T, ChunkSet>()
  /** The frames that were taken and have not been sent yet, one of each transfer at most. */
  readonly #taken = new Map<T, Turn<T>>()

  /** Number of transfers with something to send. */
  get size(): number {
    return this.#wanted.size
  }

  /** Whether anything of a transfer remains to be sent. */
  has(transfer: T): boolean {
    return this.#wanted.has(transfer) || this.#taken.has(transfer)
  }

  /** The device wants chunks of a transfer. Those of the taken frame are about to be sent anyway. */
  want(transfer: T, range: ChunkRange): void {
    const wanted = this.#wanted.get(transfer) ?? new ChunkSet()
    if (wanted.pieces >= MOST_PIECES) return
    wanted.add(range)
    const taken = this.#taken.get(transfer)
    if (taken) wanted.remove(taken.range)
    if (wanted.size > 0) this.#wanted.set(transfer, wanted)
  }

  /**
   * Takes one frame of at most `limit` chunks from the transfer whose turn it is, of those with no taken frame; null when there is
   * none, or too many are taken. Call `sent` once it has left, or will not.
   */
  next(limit: number): Turn<T> | null {
    if (this.#taken.size >= MOST_TAKEN) return null
    for (const [transfer, wanted] of this.#wanted) {
      if (this.#taken.has(transfer)) continue
      this.#wanted.delete(transfer)
      const range = wanted.firstRange(limit)
      if (!range) continue
      wanted.remove(range)
      if (wanted.size > 0) this.#wanted.set(transfer, wanted)
      const turn = { transfer, range }
      this.#taken.set(transfer, turn)
      return turn
    }
    return null
  }

  /** Whether a taken frame is still to be sent. */
  isTaken(turn: Turn<T>): boolean {
    return this.#taken.get(turn.transfer) === turn
  }

  /** A taken frame is sent now, or never. Returns whether it was still to be sent. */
  sent(turn: Turn<T>): boolean {
    return this.isTaken(turn) && this.#taken.delete(turn.transfer)
  }

  /** Drops a transfer that has ended. */
  forget(transfer: T): void {
    this.#wanted.delete(transfer)
    this.#taken.delete(transfer)
  }

  /** Drops everything, because the link is gone; the receiver wants it again on another (F6). */
  clear(): void {
    this.#wanted.clear()
    this.#taken.clear()
  }
}
