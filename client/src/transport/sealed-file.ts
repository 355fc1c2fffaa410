/**
 * A file in the form in which the server stores it sealed (E7): a header, the chunks, and always a last one that is not full.
 * Any part of it can be made by itself, so an upload goes on from any byte.
 */
import { type Bytes, concat } from '../crypto/bytes'
import {
  CHUNK_BYTES,
  type FileCipher,
  HEADER_BYTES,
  SEALED_CHUNK_BYTES,
  sealedSize,
} from '../crypto/file-chunks'
import { type FileKeys, fileKeysOf } from '../crypto/file-keys'
import type { FileSeal } from '../protocol/item'
import { GLANCE_WITHIN_MS, within } from './within'

/** Chunks that are read and sealed at once. More would only take memory. */
const CHUNKS_AT_ONCE = 64

export class SealedFile {
  /** In bytes. */
  readonly size: number
  readonly #file: Blob
  readonly #seal: FileSeal
  #keys: Promise<FileKeys> | null = null

  constructor(file: Blob, seal: FileSeal) {
    this.size = sealedSize(file.size)
    this.#file = file
    this.#seal = seal
  }

  /** Returns a part of it. @throws when the file can no longer be read, or the page has no WebCrypto */
  async slice(start: number, end: number): Promise<Blob> {
    const cipher = await this.#cipher()
    const parts = [cipher.header.slice(start, end)]
    const from = Math.max(0, start - HEADER_BYTES)
    const to = Math.min(end, this.size) - HEADER_BYTES
    const behind = Math.ceil(to / SEALED_CHUNK_BYTES)
    for (let first = Math.floor(from / SEALED_CHUNK_BYTES); first < behind; first += CHUNKS_AT_ONCE) {
      const sealed = await this.#sealed(cipher, first, Math.min(first + CHUNKS_AT_ONCE, behind))
      const at = first * SEALED_CHUNK_BYTES
      parts.push(sealed.subarray(Math.max(0, from - at), to - at))
    }
    return new Blob(parts)
  }

  async #cipher(): Promise<FileCipher> {
    this.#keys ??= fileKeysOf(this.#seal)
    return (await this.#keys).cipher
  }

  /** Returns the chunks from one to before another. */
  async #sealed(cipher: FileCipher, first: number, behind: number): Promise<Bytes> {
    const [start, end] = [first * CHUNK_BYTES, Math.min(behind * CHUNK_BYTES, this.#file.size)]
    const bytes = new Uint8Array(await within(GLANCE_WITHIN_MS, this.#file.slice(start, end).arrayBuffer()))
    // Firefox leaves out what a file has lost on the disk: other bytes would then be sealed in the place of these.
    if (bytes.byteLength !== end - start) throw new Error('The file has changed.')
    const chunks = Array.from({ length: behind - first }, (_, at) =>
      cipher.seal(first + at, bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES)),
    )
    return concat(...(await Promise.all(chunks)))
  }
}
