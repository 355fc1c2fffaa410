/**
 * Remembers what was received onto the browser's own disk space: which files are complete, and which chunks are there of
 * the others. A later page finds the bytes by it. A file without an entry is worth nothing, whatever its size, because
 * chunks are written in any order. It is the only door to `idb`.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { BeamId, ItemId } from '../../protocol/bindings'
import type { ChunkRange } from '../../protocol/chunk-set'

/** Where the bytes of an item are. */
export interface JournalEntry {
  /** The tab that receives the file, or did so last. */
  readonly tab: string
  /** The folder in which the file is: that of the tab that began it. */
  readonly folder: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** The chunks that are durable; null when all of them are. */
  readonly durable: readonly ChunkRange[] | null
  /** Whether the person has paused it; absent in entries of pages that could not pause. */
  readonly isPaused?: boolean
  /** What a person knows the file by; absent in entries of pages that could not list them. */
  readonly known?: { readonly name: string; readonly beam: BeamId }
  /** The last day on which a page showed the file, in milliseconds since the Unix epoch. */
  readonly usedAt: number
}

interface Tables extends DBSchema {
  files: { key: ItemId; value: JournalEntry }
}

const DATABASE = 'received'
const TABLE = 'files'

export class Journal {
  #database: Promise<IDBPDatabase<Tables>> | null = null

  /** @throws when the browser refuses it, for example because its disk is full */
  async write(id: ItemId, entry: JournalEntry): Promise<void> {
    await (await this.#open()).put(TABLE, entry, id)
  }

  /** Returns null for an item of which nothing is known here, and where the browser refuses to tell. */
  async read(id: ItemId): Promise<JournalEntry | null> {
    try {
      return (await (await this.#open()).get(TABLE, id)) ?? null
    } catch {
      return null
    }
  }

  async remove(id: ItemId): Promise<void> {
    await this.#removeIf(id, () => true)
  }

  /** Removes the entry of an item if it is about this file. A later file of the item may have taken its place. */
  async removeFile(id: ItemId, name: string): Promise<void> {
    await this.#removeIf(id, (entry) => entry.name === name)
  }

  async all(): Promise<readonly (readonly [ItemId, JournalEntry])[]> {
    const database = await this.#open()
    const { store } = database.transaction(TABLE)
    const [ids, entries] = await Promise.all([store.getAllKeys(), store.getAll()])
    return ids.flatMap((id, at) => {
      const entry = entries[at]
      return entry ? [[id, entry] as const] : []
    })
  }

  async #removeIf(id: ItemId, isMeant: (entry: JournalEntry) => boolean): Promise<void> {
    try {
      const transaction = (await this.#open()).transaction(TABLE, 'readwrite')
      const entry = await transaction.store.get(id)
      if (entry && isMeant(entry)) await transaction.store.delete(id)
      await transaction.done
    } catch {
      // It stays until it is swept, and leads to no file.
    }
  }

  #open(): Promise<IDBPDatabase<Tables>> {
    this.#database ??= openDB<Tables>(DATABASE, 1, {
      upgrade: (database) => void database.createObjectStore(TABLE),
      // The browser closed it, as when the person clears the site's data.
      terminated: () => {
        this.#database = null
      },
    })
    // A refusal is not remembered: the next call asks again.
    this.#database.catch(() => {
      this.#database = null
    })
    return this.#database
  }
}
