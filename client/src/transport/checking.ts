/** Hashes the pieces of a file that is received as they become whole, and compares them (F19). */
import { CHUNK_BYTES, type DeviceId } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import { type Checked, PieceChecks, type PieceHash } from '../protocol/piece-checks'
import { chunksOf, PIECE_BYTES, piecesOf, wholePieces } from '../protocol/pieces'
import { type Receiver, rangeBytes } from '../protocol/receiver'
import type { Hash } from './blake3'
import type { Sink } from './sinks/sink'

type Read = Sink['read']

/** So many pieces of what is here are compared again when their file may be another one meanwhile. */
const MOST_COMPARED = 32
/** Pause between two requests for hashes of which the first is not answered: it may be that pieces are read from a disk. */
const ASK_MS = 1_000

export interface CheckingEvents {
  /** A piece is found to be right or wrong. */
  onChecked(checked: Checked): void
  /** A piece cannot be compared, because its hash was not told. */
  onLacking(): void
  /** A piece could not be hashed. */
  onBroken(error: unknown): void
}

export class Checking {
  readonly pieces: PieceChecks
  /** Pieces on their way into a place that cannot be read, such as a file that the person picked. */
  readonly #copies = new Map<number, Uint8Array>()
  /** The hashes of pieces in such a place. */
  #hashes = new Map<number, PieceHash>()
  /** The piece whose hash, with others, was last asked for and did not come yet, and when that was, in milliseconds. */
  #asked: { readonly piece: number; readonly at: number } | null = null
  /** Whether pieces counted while the device that shared the file was away, so that it may have another one by now. */
  isUnconfirmed = false
  /** Counts how often all was lost: a hash that was begun before concerns nothing any more. */
  #era = 0

  constructor(
    readonly receiver: Receiver,
    readonly hash: Hash,
    /** A number from 0 to below 1. */
    readonly random: () => number,
    readonly events: CheckingEvents,
  ) {
    this.pieces = new PieceChecks(receiver.size)
  }

  /** An earlier transfer of the file was told hashes, and has hashed what can be read no more. */
  follows(earlier: Checking): void {
    this.pieces.wasTold(earlier.pieces.allTold)
    this.#hashes = earlier.#hashes
  }

  /**
   * An earlier page or transfer has received chunks. Some pieces of them are hashed again: if this is no longer the file of which they
   * are parts, its device tells other hashes.
   */
  resumes(before: readonly ChunkRange[], read: Read): void {
    this.pieces.resumes(wholePieces(before, this.receiver.size))
    this.#compareAgain(read)
  }

  /** The device that shared the file has it again, after its page was reloaded: it has to be the same file. */
  sourceCame(read: Read): void {
    this.isUnconfirmed = false
    this.pieces.forgetTold()
    this.#compareAgain(read)
  }

  #compareAgain(read: Read): void {
    for (const piece of someOf(this.pieces.right, this.random)) {
      const hash = this.#hashes.get(piece)
      if (read) this.#compute(piece, read)
      else if (hash) this.#hashed(piece, hash)
    }
  }

  /** Chunks came from a device, and are being written. */
  came(range: ChunkRange, bytes: Uint8Array, from: DeviceId, read: Read): void {
    this.pieces.came(range, from)
    if (read) return
    for (const piece of piecesOf(range)) this.#copy(piece, range, bytes)
  }

  #copy(piece: number, range: ChunkRange, bytes: Uint8Array): void {
    const { first, count } = chunksOf(piece, this.receiver.size)
    const copy = this.#copies.get(piece) ?? new Uint8Array(rangeBytes({ first, count }, this.receiver.size))
    this.#copies.set(piece, copy)
    const offset = (range.first - first) * CHUNK_BYTES
    const part = bytes.subarray(Math.max(0, -offset), Math.max(0, copy.byteLength - offset))
    copy.set(part, Math.max(0, offset))
  }

  /** Chunks are durable. */
  wrote(range: ChunkRange, read: Read): void {
    const { receiver } = this
    for (const piece of piecesOf(range)) {
      if (receiver.isDurable(chunksOf(piece, receiver.size))) this.#compute(piece, read)
    }
  }

  #compute(piece: number, read: Read): void {
    const bytes = this.#bytesOf(piece, read)
    const era = this.#era
    void this.hash(bytes).then((hash) => {
      if (this.#era !== era) return
      if (!read) this.#hashes.set(piece, hash)
      this.#hashed(piece, hash)
    }, this.events.onBroken)
  }

  #hashed(piece: number, hash: PieceHash): void {
    const check = this.pieces.hashed(piece, hash)
    if (check) this.events.onChecked({ piece, check })
    else this.events.onLacking()
  }

  #bytesOf(piece: number, read: Read): Uint8Array {
    const { size } = this.receiver
    if (read) return read(piece * PIECE_BYTES, rangeBytes(chunksOf(piece, size), size))
    const copy = this.#copies.get(piece) ?? new Uint8Array()
    this.#copies.delete(piece)
    return copy
  }

  /** Returns pieces whose hashes to ask for, once in a while; null for none. */
  lacking(now: number): ChunkRange | null {
    if (this.#asked && now - this.#asked.at < ASK_MS) return null
    const { lacking } = this.pieces
    this.#asked = lacking && { piece: lacking.first, at: now }
    return lacking
  }

  /** The device that shared the file told hashes of pieces. */
  told(first: number, hashes: readonly PieceHash[]): void {
    const asked = this.#asked?.piece ?? -1
    if (asked >= first && asked < first + hashes.length) this.#asked = null
    for (const checked of this.pieces.told(first, hashes)) this.events.onChecked(checked)
  }

  /** The device that shared the file is away: what it told before counts. */
  withoutSource(): void {
    for (const checked of this.pieces.withoutSource()) {
      this.isUnconfirmed = true
      this.events.onChecked(checked)
    }
  }

  /** Believes what some have given without hashes: the device that shared the file, and the copy that it stored. */
  vouchedFor(...trusted: readonly DeviceId[]): void {
    for (const checked of this.pieces.vouchedFor(...trusted)) this.events.onChecked(checked)
  }

  /** The transfer is over. */
  end(): void {
    this.#copies.clear()
  }

  /** Nothing of the file is here any more. */
  clear(): void {
    this.#era += 1
    this.#copies.clear()
    this.#hashes.clear()
    this.pieces.clear()
  }
}

/** Returns the first and the last of some pieces, and others of them that are chosen at random. */
function someOf(pieces: readonly ChunkRange[], random: () => number): readonly number[] {
  const all = pieces.flatMap(({ first, count }) => Array.from({ length: count }, (_, at) => first + at))
  if (all.length <= MOST_COMPARED) return all
  const others = Array.from({ length: MOST_COMPARED - 2 }, () => Math.floor(random() * all.length))
  return [...new Set([0, all.length - 1, ...others])].flatMap((at) => all[at] ?? [])
}
