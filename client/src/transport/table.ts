/** A table of IndexedDB, alone in its database. It is the only door to `idb`. */
import { type IDBPDatabase, openDB } from 'idb'

export class Table<Key extends string, Value> {
  readonly #database: string
  readonly #name: string
  #opened: Promise<IDBPDatabase> | null = null

  constructor(database: string, name: string) {
    this.#database = database
    this.#name = name
  }

  /** @throws when the browser refuses it, for example because its disk is full */
  async write(key: Key, value: Value): Promise<void> {
    await (await this.#open()).put(this.#name, value, key)
  }

  /** Returns null where there is nothing, and where the browser refuses to tell. */
  async read(key: Key): Promise<Value | null> {
    try {
      return (await (await this.#open()).get(this.#name, key)) ?? null
    } catch {
      return null
    }
  }

  /** Removes an entry that is as it is meant to be. Where the browser refuses it, the entry stays. */
  async remove(key: Key, isMeant: (value: Value) => boolean = () => true): Promise<void> {
    try {
      const transaction = (await this.#open()).transaction(this.#name, 'readwrite')
      const value: Value | undefined = await transaction.store.get(key)
      if (value !== undefined && isMeant(value)) await transaction.store.delete(key)
      await transaction.done
    } catch {
      // Entries are swept by their time.
    }
  }

  /** @throws when the browser refuses to tell */
  async all(): Promise<readonly (readonly [Key, Value])[]> {
    const { store } = (await this.#open()).transaction(this.#name)
    const [keys, values] = await Promise.all([store.getAllKeys(), store.getAll()])
    return keys.map((key, at) => [key as Key, values[at]] as const)
  }

  #open(): Promise<IDBPDatabase> {
    this.#opened ??= openDB(this.#database, 1, {
      upgrade: (database) => void database.createObjectStore(this.#name),
      // The browser closed it, as when the person clears the site's data.
      terminated: () => {
        this.#opened = null
      },
    })
    // A refusal is not remembered: the next call asks again.
    this.#opened.catch(() => {
      this.#opened = null
    })
    return this.#opened
  }
}
