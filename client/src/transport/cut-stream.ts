/** Cuts a stream of bytes into the files that it consists of, one after another. */

export class StreamCutter {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  /** Bytes that were read and belong to what follows. */
  #rest: Uint8Array = new Uint8Array(0)

  constructor(bytes: ReadableStream<Uint8Array>) {
    this.#reader = bytes.getReader()
  }

  /**
   * Returns the next `size` bytes. Read them to their end before the next ones are taken. The stream fails when there are
   * fewer.
   */
  next(size: number): ReadableStream<Uint8Array> {
    let left = size
    return new ReadableStream(
      {
        pull: async (controller) => {
          if (left > 0) {
            const part = await this.#take(left)
            left -= part.byteLength
            controller.enqueue(part)
          }
          if (left === 0) controller.close()
        },
      },
      // Nothing is read ahead: the next file begins where this one ends.
      { highWaterMark: 0 },
    )
  }

  /** Ends the reading; the rest is not needed. */
  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {})
  }

  async #take(most: number): Promise<Uint8Array> {
    while (this.#rest.byteLength === 0) {
      const { done, value } = await this.#reader.read()
      if (done) throw new Error('The bytes ended too early.')
      this.#rest = value
    }
    const part = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(part.byteLength)
    return part
  }
}
