/** Stores received files: each in the file that the person picked, else on the browser's disk, else in memory. */

import { AUTO_RECEIVE_BYTES, type ItemId } from '../../protocol/bindings'
import type { UnfinishedFile } from '../../protocol/unfinished-file'
import { Unanswered } from '../table'
import { HeldSinks } from './held-sinks'
import { openPickedSink } from './picked'
import { type FileStore, type Found, NoRoom, PartUnopened, type Sink, type SinkFile } from './sink'

export class ReceivedFiles {
  #hasFallenBack = false
  readonly #held = new HeldSinks()

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
    const held = await this.#held.take(file, picked)
    if (held) return held
    if (picked) {
      await this.#forgetBegun(file)
      return this.#held.holding(file, picked, await openPickedSink(picked, file))
    }
    await this.memory.forget(file.id)
    if (!this.disk) return this.#openMemory(file)
    try {
      return await this.disk.open(file)
    } catch (error) {
      if (mayHavePart(error, file)) throw error
      return this.#inMemory(file, error)
    }
  }

  /** Returns what this page or an earlier one has received of a file; null at once where nothing can be. */
  find(file: SinkFile, picked: FileSystemFileHandle | null): Promise<Found | null> | null {
    const held = this.#held.find(file, picked)
    if (held) return Promise.resolve(held)
    return picked ? null : (this.disk?.find(file) ?? null)
  }

  /** Returns what is on the disk of files that are not complete. */
  async unfinished(): Promise<readonly UnfinishedFile[]> {
    return (await this.disk?.unfinished()) ?? []
  }

  /** Notes whether the person has paused a file of which a part waits, and which is not open. */
  async turn(id: ItemId, isPaused: boolean): Promise<void> {
    this.#held.turn(id, isPaused)
    await this.disk?.turn(id, isPaused)
  }

  /** The beam was left: what is on the disk waits for a page that enters the beam again, and nothing else does. */
  async leave(id: ItemId): Promise<void> {
    await this.#held.forget(id).catch(() => {})
    await this.memory.leave(id)
    await this.disk?.leave(id)
  }

  /** Removes the bytes of an item that is gone. */
  async forget(id: ItemId): Promise<void> {
    await this.disk?.forget(id).catch(() => {})
    await this.#held.forget(id).catch(() => {})
    await this.memory.forget(id)
  }

  /** Removes what was received of a file for which the person has picked another place. */
  async #forgetBegun(file: SinkFile): Promise<void> {
    const found = await this.disk?.find(file).catch(() => null)
    if (found?.is === 'begun') await this.disk?.forget(file.id).catch(() => {})
  }

  async #openMemory(file: SinkFile): Promise<Sink> {
    return this.#held.holding(file, null, await this.memory.open(file))
  }

  /** Opens the file in memory. A private window may have the disk's functions and still refuse their use. */
  async #inMemory(file: SinkFile, why: unknown): Promise<Sink> {
    const sink = await this.#openMemory(file).catch((error: unknown) => {
      throw why instanceof NoRoom ? why : error
    })
    if (!this.#hasFallenBack) this.onFallback()
    this.#hasFallenBack = true
    return sink
  }
}

/**
 * Whether a part of a file waits on the disk, or may, because the journal did not answer. It waits for room or for another try:
 * in memory all of the file would have to come again (F6). A small one may come again where the browser never answers.
 */
function mayHavePart(error: unknown, { size }: SinkFile): boolean {
  if (error instanceof NoRoom) return error.why.reason === 'diskFull'
  return error instanceof PartUnopened || (error instanceof Unanswered && size > AUTO_RECEIVE_BYTES)
}
