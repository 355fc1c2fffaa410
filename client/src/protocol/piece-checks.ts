/**
 * Which pieces of a file are right (F19). Told what the device that shared the file says of their hashes, and what the
 * hashes of the received pieces are, it decides which pieces count, and who is to blame for a wrong one.
 */
import type { DeviceId } from './bindings'
import { type ChunkRange, ChunkSet } from './chunk-set'
import { PIECE_CHUNKS, pieceCount, piecesOf } from './pieces'

/** BLAKE3 of a piece: 32 bytes, of which some are never zero. */
export type PieceHash = Uint8Array
export const HASH_BYTES = 32

/**
 * The outcome of a check. `givers`: the devices that gave chunks of a wrong piece; empty when an earlier page had it. An
 * unknown piece cannot be compared, and nobody is to blame for that.
 */
export type Check =
  | { readonly is: 'right' | 'unknown' }
  | { readonly is: 'wrong'; readonly givers: readonly DeviceId[] }

export interface Checked {
  readonly piece: number
  readonly check: Check
}

export class PieceChecks {
  readonly #total: number
  readonly #right = new ChunkSet()
  /** What the device that shared the file says. */
  readonly #told = new Map<number, PieceHash>()
  /** What it told an earlier page, or before it began anew. It counts while that device is away, until it says otherwise. */
  readonly #toldBefore = new Map<number, PieceHash>()
  #isTold = false
  /** The hashes of pieces that are here and were not compared. */
  readonly #computed = new Map<number, PieceHash>()
  /** Who gave chunks of the pieces that are not right yet. */
  readonly #givers = new Map<number, Set<DeviceId>>()

  /** @param size bytes of the file */
  constructor(readonly size: number) {
    this.#total = pieceCount(size)
  }

  /** Whether every piece is right. */
  get isComplete(): boolean {
    return this.#right.size === this.#total
  }

  /** The pieces that are right. */
  get right(): readonly ChunkRange[] {
    return this.#right.ranges()
  }

  /** Pieces of which this page has received chunks, and that are not known to be right. */
  get doubtful(): readonly number[] {
    return [...this.#givers.keys()]
  }

  /** The first pieces that cannot be compared because their hashes were not told; null when there are none. */
  get lacking(): ChunkRange | null {
    const pieces = [...this.#computed.keys()].sort((a, b) => a - b)
    const [first] = pieces
    if (first === undefined) return null
    const end = pieces.findIndex((piece, at) => piece !== first + at)
    return { first, count: end === -1 ? pieces.length : end }
  }

  /** Pieces that an earlier page has found to be right. */
  resumes(pieces: readonly ChunkRange[]): void {
    for (const range of pieces) this.#right.add(range)
  }

  /** An earlier page or transfer was told hashes. */
  wasTold(hashes: ReadonlyMap<number, PieceHash>): void {
    for (const [piece, hash] of hashes) this.#toldBefore.set(piece, hash)
  }

  /** All that is known of what the device that shared the file told, for a later page or transfer. */
  get allTold(): ReadonlyMap<number, PieceHash> {
    return new Map([...this.#toldBefore, ...this.#told])
  }

  /** Returns all that was told; null where that is what was returned last. */
  newlyTold(): ReadonlyMap<number, PieceHash> | null {
    if (!this.#isTold) return null
    this.#isTold = false
    return this.allTold
  }

  /** Chunks came from a device. */
  came(range: ChunkRange, from: DeviceId): void {
    for (const piece of piecesOf(range)) {
      const givers = this.#givers.get(piece) ?? new Set()
      this.#givers.set(piece, givers.add(from))
    }
  }

  /** The hash of a piece that is here was computed. Returns null while nothing is known to compare it with. */
  hashed(piece: number, hash: PieceHash): Check | null {
    this.#right.remove({ first: piece, count: 1 })
    this.#computed.set(piece, hash)
    return this.#compare(piece)
  }

  /**
   * The device that shared the file told the hashes of pieces. What it told first holds. Where it told an earlier page another
   * hash, its file is another one by now.
   * @returns the pieces that had waited for it
   */
  told(first: number, hashes: readonly PieceHash[]): readonly Checked[] {
    const other = hashes.findIndex((hash, at) => !this.#maySay(first + at, hash))
    if (other !== -1) return [{ piece: first + other, check: { is: 'wrong', givers: [] } }]
    this.#isTold = true
    return hashes.flatMap((hash, at) => {
      const piece = first + at
      if (piece >= this.#total || this.#told.has(piece)) return []
      this.#told.set(piece, hash)
      const check = this.#compare(piece)
      return check ? [{ piece, check }] : []
    })
  }

  #maySay(piece: number, hash: PieceHash): boolean {
    const before = this.#toldBefore.get(piece)
    return !before || this.#told.has(piece) || isSame(before, hash)
  }

  /**
   * The device that shared the file is away. What it told before counts, and so do the pieces that an earlier page has found
   * to be right.
   * @returns the pieces that had waited for it
   */
  withoutSource(): readonly Checked[] {
    return [...this.#computed].flatMap(([piece, hash]) => {
      const before = this.#toldBefore.get(piece) ?? (this.#givers.has(piece) ? null : hash)
      if (!before) return []
      this.#toldBefore.set(piece, before)
      return [{ piece, check: this.#compared(piece, before, hash) }]
    })
  }

  /**
   * Some givers are believed without hashes, because the device that shared the file is not here to tell them: pieces of
   * theirs are right. Those with chunks of any other may be right too, but stay unknown.
   * @returns the pieces that had waited for it
   */
  vouchedFor(...trusted: readonly DeviceId[]): readonly Checked[] {
    return [...this.#computed].map(([piece, hash]) => {
      const isTheirs = [...(this.#givers.get(piece) ?? [])].every((giver) => trusted.includes(giver))
      if (isTheirs) this.#told.set(piece, hash)
      const check = this.#compare(piece)
      if (check) return { piece, check }
      this.#computed.delete(piece)
      this.#givers.delete(piece)
      return { piece, check: { is: 'unknown' } }
    })
  }

  #compare(piece: number): Check | null {
    const [told, computed] = [this.#told.get(piece), this.#computed.get(piece)]
    return told && computed ? this.#compared(piece, told, computed) : null
  }

  #compared(piece: number, told: PieceHash, computed: PieceHash): Check {
    this.#computed.delete(piece)
    const givers = [...(this.#givers.get(piece) ?? [])]
    this.#givers.delete(piece)
    if (!isSame(told, computed)) return { is: 'wrong', givers }
    this.#right.add({ first: piece, count: 1 })
    return { is: 'right' }
  }

  /** The device that shared the file begins anew, perhaps with another file: what it told before counts only while it is away. */
  forgetTold(): void {
    this.wasTold(this.#told)
    this.#told.clear()
  }

  /** Nothing of the file is here any more, and what was told was about another one. */
  clear(): void {
    this.#right.remove({ first: 0, count: this.#total })
    this.#isTold = true
    for (const map of [this.#told, this.#toldBefore, this.#computed, this.#givers]) map.clear()
  }
}

export function isSame(some: PieceHash, other: PieceHash): boolean {
  return some.byteLength === other.byteLength && some.every((byte, at) => byte === other[at])
}

/** Returns the chunks of some ranges without those of pieces. */
export function without(ranges: readonly ChunkRange[], pieces: readonly number[]): ChunkRange[] {
  const set = new ChunkSet()
  for (const range of ranges) set.add(range)
  for (const piece of pieces) set.remove({ first: piece * PIECE_CHUNKS, count: PIECE_CHUNKS })
  return set.ranges()
}
