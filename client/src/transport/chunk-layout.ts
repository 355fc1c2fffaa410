/** How long chunks are on their way, and where they lie in a stored copy: in clear, or each with its tag (E7). */
import { CHUNK_BYTES, HEADER_BYTES, TAG_BYTES } from '../crypto/file-chunks'
import type { ChunkRange } from '../protocol/chunk-set'
import { rangeBytes } from '../protocol/receiver'

export class ChunkLayout {
  readonly #header: number
  readonly #tag: number

  /** @param size bytes of the file, in clear */
  constructor(
    readonly size: number,
    isSealed: boolean,
  ) {
    this.#header = isSealed ? HEADER_BYTES : 0
    this.#tag = isSealed ? TAG_BYTES : 0
  }

  /** Bytes of a full chunk. */
  get chunkBytes(): number {
    return CHUNK_BYTES + this.#tag
  }

  /** Returns where a chunk begins in a stored copy. */
  start(chunk: number): number {
    return this.#header + chunk * this.chunkBytes
  }

  /** Returns how many bytes a range of chunks has. */
  bytesOf(range: ChunkRange): number {
    return rangeBytes(range, this.size) + range.count * this.#tag
  }

  /** Returns how many bytes of the file so many bytes of chunks are. */
  clearBytes(bytes: number): number {
    return bytes - Math.ceil(bytes / this.chunkBytes) * this.#tag
  }
}
