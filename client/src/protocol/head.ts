/** The first bytes of a file while the rest of it still arrives, in any order. */
import { ChunkSet } from './chunk-set'

export class Head {
  readonly #bytes: Uint8Array<ArrayBuffer>
  /** The bytes that are here. */
  readonly #here = new ChunkSet()

  /** @param size in bytes */
  constructor(size: number) {
    this.#bytes = new Uint8Array(size)
  }

  /** Takes what an earlier page has received of the file: `read` returns bytes from a position. */
  resumes(
    position: number,
    length: number,
    read: (position: number, length: number) => Uint8Array,
  ): Uint8Array<ArrayBuffer> | null {
    const wanted = Math.min(length, this.#bytes.byteLength - position)
    return wanted > 0 ? this.wrote(position, read(position, wanted)) : null
  }

  /** Takes bytes of the file. Those of a piece that was wrong come again. Returns the head once all of it is here. */
  wrote(position: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
    if (position >= this.#bytes.byteLength) return null
    const part = bytes.subarray(0, this.#bytes.byteLength - position)
    this.#bytes.set(part, position)
    this.#here.add({ first: position, count: part.byteLength })
    return this.#here.size === this.#bytes.byteLength ? this.#bytes : null
  }
}
