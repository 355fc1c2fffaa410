/** Reads files of an item that is many (F16), in the order of its list: all of them, or some. */
import type { PlacedFile } from '../protocol/manifest'
import { StreamCutter } from './cut-stream'

/** What lies between two files is passed over up to so many bytes. Beyond that, asking anew is faster than reading on. */
const MOST_PASSED_OVER = 256 * 1024

export class PackReader {
  readonly #open: (start: number) => Promise<ReadableStream<Uint8Array>>
  readonly #onRead: (bytes: number) => void
  #cutter: StreamCutter | null = null
  /** The offset behind the last file that was asked for. */
  #end = 0
  #couldOpen = true

  /**
   * @param open reads the item from an offset on
   * @param onRead called with the number of bytes that are read of the files
   */
  constructor(
    open: (start: number) => Promise<ReadableStream<Uint8Array>>,
    onRead: (bytes: number) => void = () => {},
  ) {
    this.#open = open
    this.#onRead = onRead
  }

  /** Whether the bytes themselves failed, so that no later file is whole either. */
  get hasFailed(): boolean {
    return !this.#couldOpen || (this.#cutter?.hasFailed ?? false)
  }

  /** Returns the bytes of a file. Read them to their end, or give them up, before those of another are asked for. */
  async next({ start, size }: PlacedFile): Promise<ReadableStream<Uint8Array>> {
    // There may be nothing to open behind the last byte.
    if (size === 0) return new Blob().stream()
    const cutter = await this.#cutterAt(start)
    this.#end = start + size
    return cutter.next(size, this.#onRead)
  }

  async cancel(): Promise<void> {
    await this.#cutter?.cancel()
  }

  async #cutterAt(start: number): Promise<StreamCutter> {
    const gap = start - this.#end
    if (this.#cutter && gap >= 0 && gap <= MOST_PASSED_OVER) {
      // What is not read of it is passed over.
      if (gap > 0) this.#cutter.next(gap)
      return this.#cutter
    }
    await this.#cutter?.cancel()
    this.#couldOpen = false
    const cutter = new StreamCutter(await this.#open(start))
    this.#couldOpen = true
    this.#cutter = cutter
    return cutter
  }
}
