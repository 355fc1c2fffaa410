/** A file that this device gives to others. It is read piece by piece, and each piece is hashed when it is first read. */

import { type Bytes, concat } from '../crypto/bytes'
import { CHUNK_BYTES } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import type { FileSeal } from '../protocol/item'
import { isSame, type PieceHash } from '../protocol/piece-checks'
import { PIECE_BYTES, piecesOf } from '../protocol/pieces'
import { rangeBytes } from '../protocol/receiver'
import type { Hash } from './blake3'
import { SealedChunks } from './sealed-chunks'
import { READ_WITHIN_MS, within } from './within'

/**
 * Bytes of pieces that are kept in memory, of all files together: what the largest budget of a receiver holds (F4), so that
 * neither the links of a bundle nor several receivers make this device read a piece again.
 */
const MOST_KEPT_BYTES = 32 * 1024 * 1024

/** Where the bytes of a file are. */
export interface Source {
  /** In bytes. */
  readonly size: number
  /** What seals them on their way; null for those that travel as they are. */
  readonly sealed: SealedChunks | null
  /** Returns null, or rejects, when they cannot be read. */
  read(position: number, length: number): Promise<Bytes | null>
}

export function blobSource(file: Blob, seal?: FileSeal): Source {
  const { size } = file
  return {
    size,
    sealed: SealedChunks.of({ seal, size }),
    read: async (position, length) =>
      new Uint8Array(await file.slice(position, position + length).arrayBuffer()),
  }
}

/** The pieces that were read last. Those that were not used for the longest time are let go first. */
export class PieceMemory {
  readonly #pieces = new Map<object, Bytes>()
  #bytes = 0

  get(key: object): Bytes | null {
    const piece = this.#pieces.get(key)
    if (!piece) return null
    this.#pieces.delete(key)
    this.#pieces.set(key, piece)
    return piece
  }

  keep(key: object, piece: Bytes): void {
    this.forget(key)
    this.#pieces.set(key, piece)
    this.#bytes += piece.byteLength
    for (const [oldest] of this.#pieces) {
      if (this.#bytes <= MOST_KEPT_BYTES || oldest === key) return
      this.forget(oldest)
    }
  }

  forget(key: object): void {
    this.#bytes -= this.#pieces.get(key)?.byteLength ?? 0
    this.#pieces.delete(key)
  }
}

export class OfferedFile {
  /** The hashes of the pieces that were read. */
  readonly hashes = new Map<number, PieceHash>()
  /** A name for each piece in the memory. */
  readonly #keys = new Map<number, object>()
  readonly #reading = new Map<number, Promise<Bytes | null>>()
  readonly #hash: Hash | null

  /**
   * @param hash null for a file that was received: those who want it know its hashes
   * @param onHash called when a piece is hashed
   */
  constructor(
    readonly source: Source,
    readonly memory: PieceMemory,
    hash: Hash | null,
    readonly onHash: (piece: number, hash: PieceHash) => void = () => {},
  ) {
    this.#hash = hash && (source.sealed?.hashing(hash) ?? hash)
  }

  get size(): number {
    return this.source.size
  }

  /** Returns the bytes of chunks that are in memory; null when they are not. */
  ready(range: ChunkRange): Bytes | null {
    const parts: Bytes[] = []
    for (const piece of piecesOf(range)) {
      const key = this.#keys.get(piece)
      const bytes = key && this.memory.get(key)
      if (!bytes) return null
      parts.push(part(bytes, piece, range, this.size))
    }
    return joined(parts)
  }

  /** Returns the bytes of chunks; null when the file is gone or has changed on the disk. */
  async read(range: ChunkRange): Promise<Bytes | null> {
    const pieces = piecesOf(range)
    const read = await Promise.all(pieces.map((piece) => this.piece(piece)))
    const parts = read.flatMap((bytes, at) => (bytes ? [part(bytes, pieces[at] ?? 0, range, this.size)] : []))
    return parts.length === pieces.length ? joined(parts) : null
  }

  /** Returns the bytes of a piece; null as `read` does, and when they do not come. */
  piece(piece: number): Promise<Bytes | null> {
    const reading = this.#reading.get(piece) ?? within(READ_WITHIN_MS, this.#read(piece)).catch(() => null)
    this.#reading.set(piece, reading)
    return reading.finally(() => this.#reading.delete(piece))
  }

  async #read(piece: number): Promise<Bytes | null> {
    const start = piece * PIECE_BYTES
    const length = Math.min(PIECE_BYTES, this.size - start)
    const bytes = await this.source.read(start, length)
    // Firefox leaves out what a file has lost on the disk. Of many files as one, those behind it would move up.
    if (bytes?.byteLength !== length || !(await this.#isRight(piece, bytes))) return null
    const key = this.#keys.get(piece) ?? {}
    this.#keys.set(piece, key)
    this.memory.keep(key, bytes)
    return bytes
  }

  /** Whether a piece is what it was when it was read first. */
  async #isRight(piece: number, bytes: Bytes): Promise<boolean> {
    if (!this.#hash) return true
    const hash = await this.#hash(bytes)
    const known = this.hashes.get(piece)
    if (known) return isSame(known, hash)
    this.hashes.set(piece, hash)
    this.onHash(piece, hash)
    return true
  }

  /** Lets go of its pieces. */
  forget(): void {
    for (const key of this.#keys.values()) this.memory.forget(key)
    this.#keys.clear()
  }
}

/** Returns the bytes of a piece that a range of chunks has. */
function part(bytes: Bytes, piece: number, range: ChunkRange, size: number): Bytes {
  const start = piece * PIECE_BYTES
  const from = range.first * CHUNK_BYTES
  return bytes.subarray(Math.max(0, from - start), Math.max(0, from + rangeBytes(range, size) - start))
}

function joined(parts: readonly Bytes[]): Bytes {
  const [only] = parts
  if (only && parts.length === 1) return only
  return concat(...parts)
}
