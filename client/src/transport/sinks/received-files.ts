/** Owns what is received: chooses where a file goes (where the person said, else the disk, else memory), and gives it back. */
import type { ItemId } from '../../protocol/bindings'
import { openPickedSink } from './picked'
import { type FileStore, NoRoom, type Sink, type SinkFile } from './sink'

export class ReceivedFiles {
  /** Items of which a file was opened. */
  readonly #opened = new Set<ItemId>()
  #hasFallenBack = false

  /**
   * @param disk null where pages have none
   * @param onFallback the disk did not take a file, and memory does; told once
   */
  constructor(
    readonly disk: FileStore | null,
    readonly memory: FileStore,
    readonly onFallback: () => void,
  ) {}

  readonly open = async (file: SinkFile, picked: FileSystemFileHandle | null): Promise<Sink> => {
    if (picked) return openPickedSink(picked, file)
    // What is received again takes the place of what was.
    if (this.#opened.has(file.id)) await this.forget(file.id)
    this.#opened.add(file.id)
    if (!this.disk) return this.memory.open(file)
    try {
      return await this.disk.open(file)
    } catch (error) {
      return this.#inMemory(file, error)
    }
  }

  /** An item is gone, and its bytes with it. */
  async forget(id: ItemId): Promise<void> {
    this.#opened.delete(id)
    await this.disk?.forget(id).catch(() => {})
    await this.memory.forget(id)
  }

  /** A private window may have the functions and refuse their use, each browser with an error of its own. */
  async #inMemory(file: SinkFile, why: unknown): Promise<Sink> {
    const sink = await this.memory.open(file).catch((error: unknown) => {
      throw why instanceof NoRoom ? why : error
    })
    if (!this.#hasFallenBack) this.onFallback()
    this.#hasFallenBack = true
    return sink
  }
}
