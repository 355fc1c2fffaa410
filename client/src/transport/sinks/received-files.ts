/** Stores received files: each in the file that the person picked, else on the browser's disk, else in memory. */

import type { ItemId } from '../../protocol/bindings'
import type { UnfinishedFile } from '../../protocol/unfinished-file'
import { openPickedSink } from './picked'
import { type FileStore, type Found, NoRoom, type Sink, type SinkFile } from './sink'

export class ReceivedFiles {
  #hasFallenBack = false

  /**
   * @param disk null in browsers that give pages no disk
   * @param onFallback called once, when the disk refuses a file and memory is used instead
   */
  constructor(
    readonly disk: FileStore | null,
    readonly memory: FileStore,
    readonly onFallback: () => void,
  ) {}

  readonly open = async (file: SinkFile, picked: FileSystemFileHandle | null): Promise<Sink> => {
    if (picked) {
      await this.#forgetBegun(file)
      return openPickedSink(picked, file)
    }
    await this.memory.forget(file.id)
    if (!this.disk) return this.memory.open(file)
    try {
      return await this.disk.open(file)
    } catch (error) {
      return this.#inMemory(file, error)
    }
  }

  /** Returns what this page or an earlier one has received of a file; null at once in a browser without a disk. */
  find(file: SinkFile): Promise<Found | null> | null {
    return this.disk?.find(file) ?? null
  }

  /** Returns what is on the disk of files that are not complete. */
  async unfinished(): Promise<readonly UnfinishedFile[]> {
    return (await this.disk?.unfinished()) ?? []
  }

  /** The beam was left: what is in memory goes, and what is on the disk waits for a page that enters the beam again. */
  async leave(id: ItemId): Promise<void> {
    await this.memory.leave(id)
    await this.disk?.leave(id)
  }

  /** Removes the bytes of an item that is gone. */
  async forget(id: ItemId): Promise<void> {
    await this.disk?.forget(id).catch(() => {})
    await this.memory.forget(id)
  }

  /** Removes what was received of a file for which the person has picked another place. */
  async #forgetBegun(file: SinkFile): Promise<void> {
    const found = await this.disk?.find(file).catch(() => null)
    if (found?.is === 'begun') await this.disk?.forget(file.id).catch(() => {})
  }

  /** Opens the file in memory. A private window may have the disk's functions and still refuse their use. */
  async #inMemory(file: SinkFile, why: unknown): Promise<Sink> {
    const sink = await this.memory.open(file).catch((error: unknown) => {
      throw why instanceof NoRoom ? why : error
    })
    if (!this.#hasFallenBack) this.onFallback()
    this.#hasFallenBack = true
    return sink
  }
}
