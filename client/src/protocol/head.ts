/** The first bytes of a file while the rest of it still arrives, in any order. */

export class Head {
  readonly #bytes: Uint8Array<ArrayBuffer>
  #missing: number

  /** @param size in bytes */
  constructor(size: number) {
    this.#bytes = new Uint8Array(size)
    this.#missing = size
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

  /** Takes bytes of the file, none of them twice. Returns the head when they completed it. */
  wrote(position: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
    if (position >= this.#bytes.byteLength) return null
    const part = bytes.subarray(0, this.#bytes.byteLength - position)
    this.#bytes.set(part, position)
    this.#missing -= part.byteLength
    return this.#missing === 0 ? this.#bytes : null
  }
}
