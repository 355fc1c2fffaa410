/**
 * The chunks of one sealed file (E7). They are sealed as they leave in frames and opened as they arrive; all else in the engine
 * deals with the bytes of the file as they are.
 */
import { type Bytes, concat } from '../crypto/bytes'
import { CHUNK_BYTES, SEALED_CHUNK_BYTES } from '../crypto/file-chunks'
import { type FileKeys, fileKeysOf } from '../crypto/file-keys'
import type { FileSeal } from '../protocol/item'
import type { Hash } from './blake3'

export class SealedChunks {
  readonly #seal: FileSeal
  /** The place of the chunk that is not full, and may be empty. */
  readonly #last: number
  #keys: Promise<FileKeys> | null = null

  /** @param size bytes of the file */
  constructor(seal: FileSeal, size: number) {
    this.#seal = seal
    this.#last = Math.floor(size / CHUNK_BYTES)
  }

  /** Returns what seals and opens a file; null for one that travels as it is. */
  static of({ seal, size }: { seal?: FileSeal | undefined; size: number }): SealedChunks | null {
    return seal ? new SealedChunks(seal, size) : null
  }

  // Of a thousand files that are offered, most are never asked for.
  get #made(): Promise<FileKeys> {
    this.#keys ??= fileKeysOf(this.#seal)
    return this.#keys
  }

  /** Seals chunks that follow each other. @throws where the page has no WebCrypto */
  async seal(first: number, bytes: Bytes): Promise<readonly Bytes[]> {
    const { cipher } = await this.#made
    return Promise.all(split(bytes, CHUNK_BYTES).map((chunk, at) => cipher.seal(first + at, chunk)))
  }

  /**
   * Opens chunks that follow each other. Returns null when one of them is not of this file and place.
   * @throws where the page has no WebCrypto
   */
  async open(first: number, sealed: Bytes): Promise<Bytes | null> {
    const { cipher } = await this.#made
    const open = (chunk: Bytes, at: number) => cipher.open(first + at, chunk, first + at === this.#last)
    const chunks = await Promise.all(split(sealed, SEALED_CHUNK_BYTES).map(open))
    // Joined, because each write to a disk costs more than the copy.
    return chunks.every((chunk) => chunk !== null) ? concat(...chunks) : null
  }

  /** Returns how the pieces of the file are hashed. */
  hashing(hash: Hash): Hash {
    return async (bytes) => hash(bytes, (await this.#made).pieces)
  }
}

function split(bytes: Bytes, length: number): readonly Bytes[] {
  const count = Math.ceil(bytes.byteLength / length)
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * length, (at + 1) * length))
}
