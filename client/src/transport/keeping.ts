/** When what is here of an unfinished file is entered where a later page finds it: its chunks, and the hashes that were told of it. */
import { LARGEST_BUDGET_BYTES } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import type { PieceHash } from '../protocol/piece-checks'
import type { Part } from './sinks/sink'

/**
 * An unfinished file is entered in the journal after so many bytes or milliseconds. What a page that ends had received
 * since then is requested again: no more than the largest window (F4), even if the last entry was still under way.
 */
const KEPT_BYTES = LARGEST_BUDGET_BYTES / 2
const KEPT_MS = 1_000
/** Hashes are written all at once, 32 bytes for each MiB of the file, and so less often. In milliseconds. */
const HASHES_KEPT_MS = 5_000

/** What is kept of a file. */
export interface Kept {
  /** The chunks that are durable, without those that may be wrong. */
  durable(): readonly ChunkRange[]
  isPaused(): boolean
  /** What the device that shared the file told of its hashes; null where there is nothing new, or nobody else can give the file. */
  newlyTold(): ReadonlyMap<number, PieceHash> | null
}

export class Keeping {
  /** Bytes that are durable and not in the journal, and when it was written last, in milliseconds. */
  #unkept = 0
  #keptAt = 0
  #hashesKeptAt = 0

  constructor(
    readonly kept: Kept,
    readonly onBroken: (error: unknown) => void,
  ) {}

  /** Bytes became durable. */
  wrote(bytes: number): void {
    this.#unkept += bytes
  }

  /** Called several times a second: enters what is due. */
  look(part: Part | null, now: number): void {
    if (now - this.#hashesKeptAt >= HASHES_KEPT_MS && this.enterHashes(part)) this.#hashesKeptAt = now
    if (this.#unkept === 0) return
    if (this.#unkept < KEPT_BYTES && now - this.#keptAt < KEPT_MS) return
    this.#keptAt = now
    this.enter(part)
  }

  enter(part: Part | null): void {
    this.#unkept = 0
    const entered = part?.keep(this.kept.durable(), this.kept.isPaused())
    void entered?.catch(this.onBroken)
  }

  /** Returns whether there was anything new. */
  enterHashes(part: Part | null): boolean {
    const told = part?.hashes ? this.kept.newlyTold() : null
    if (told) part?.hashes?.keep(told)
    return told !== null
  }
}
