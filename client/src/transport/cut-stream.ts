/** Cuts a stream of bytes into the files that it consists of, one after another. */

export class StreamCutter {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  /** Bytes that were read and belong to what follows. */
  #rest: Uint8Array = new Uint8Array(0)
  /** The offset of the first of them. */
  #at = 0
  /** The offset behind the last file that was asked for. */
  #end = 0
  /** The read before, since a file that is given up may still wait for its bytes. */
  #before: Promise<unknown> = Promise.resolve()
  #hasFailed = false

  constructor(bytes: ReadableStream<Uint8Array>) {
    this.#reader = bytes.getReader()
  }

  /** Whether the bytes themselves failed or ended too early, so that no later file is whole either. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /**
   * Returns the next `size` bytes. Read them to their end, or give them up, before the next ones are taken: what was not
   * read of them is passed over. The stream fails when there are fewer.
   * @param onRead called with the number of bytes that are read of them
   */
  next(size: number, onRead: (bytes: number) => void = () => {}): ReadableStream<Uint8Array> {
    const start = this.#end
    const end = start + size
    this.#end = end
    let left = size
    return new ReadableStream(
      {
        pull: async (controller) => {
          if (left > 0) {
            const part = await this.#read(start, end)
            left -= part.byteLength
            onRead(part.byteLength)
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

  /** Returns some of the bytes from `start` to `end` that were not read yet. */
  #read(start: number, end: number): Promise<Uint8Array> {
    const read = this.#before.then(async () => {
      while (this.#at < start) await this.#take(start - this.#at)
      return this.#take(end - this.#at)
    })
    this.#before = read.catch(() => {})
    return read
  }

  async #take(most: number): Promise<Uint8Array> {
    while (this.#rest.byteLength === 0) this.#rest = await this.#more()
    const part = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(part.byteLength)
    this.#at += part.byteLength
    return part
  }

  async #more(): Promise<Uint8Array> {
    try {
      const { done, value } = await this.#reader.read()
      if (done) throw new Error('The bytes ended too early.')
      return value
    } catch (error) {
      this.#hasFailed = true
      throw error
    }
  }
}
