/** What the other device wants on one link. Transfers take turns of one frame, so that none waits for another (F3). */
import { CHUNK_BYTES, WINDOW_BYTES } from './bindings'
import { type ChunkRange, ChunkSet } from './chunk-set'

/** A receiver that keeps to its window never wants more pieces at a time (F4); further ones are not kept. */
const MOST_PIECES = WINDOW_BYTES / CHUNK_BYTES

/** What is to be sent next. */
export interface Turn<T> {
  readonly transfer: T
  readonly range: ChunkRange
}

export class SendQueue<T> {
  /** In the order of turns. */
  readonly #wanted = new Map<T, ChunkSet>()

  /** How many transfers have something to send. */
  get size(): number {
    return this.#wanted.size
  }

  /** The device wants chunks of a transfer. */
  want(transfer: T, range: ChunkRange): void {
    const wanted = this.#wanted.get(transfer) ?? new ChunkSet()
    if (wanted.pieces >= MOST_PIECES) return
    wanted.add(range)
    this.#wanted.set(transfer, wanted)
  }

  /** Takes one frame of at most `limit` chunks of the transfer whose turn it is; null when nothing is wanted. */
  next(limit: number): Turn<T> | null {
    const [turn] = this.#wanted
    if (!turn) return null
    const [transfer, wanted] = turn
    this.#wanted.delete(transfer)
    const range = wanted.firstRange(limit)
    if (!range) return this.next(limit)
    wanted.remove(range)
    if (wanted.size > 0) this.#wanted.set(transfer, wanted)
    return { transfer, range }
  }

  /** How many chunks are wanted without a gap from `first` on, at most `limit`: what is worth reading at once. */
  run(transfer: T, first: number, limit: number): number {
    const [run] = this.#wanted.get(transfer)?.within({ first, count: limit }) ?? []
    return run?.first === first ? run.count : 0
  }

  /** A transfer has ended. */
  forget(transfer: T): void {
    this.#wanted.delete(transfer)
  }

  /** The link is gone: the receiver wants again on another (F6). */
  clear(): void {
    this.#wanted.clear()
  }
}
