/** A table of IndexedDB, alone in its database. It is the only door to `idb`. */
import { type IDBPDatabase, type IDBPTransaction, openDB } from 'idb'

/** A browser whose disk was full, or that is repairing its databases, may never answer. In milliseconds. */
const ANSWER_LIMIT_MS = 20_000

/** The browser does not answer: nobody knows what is there, so nothing may be removed. */
export class Unanswered extends Error {}

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
    await this.#asks((database) => database.put(this.#name, value, key))
  }

  /**
   * Returns null where there is nothing, and where the browser refuses to tell.
   * @throws Unanswered
   */
  async read(key: Key): Promise<Value | null> {
    try {
      return await this.find(key)
    } catch (error) {
      if (error instanceof Unanswered) throw error
      return null
    }
  }

  /** Returns null only where there is nothing. @throws when the browser refuses to tell, or does not answer */
  async find(key: Key): Promise<Value | null> {
    return (await this.#asks((database) => database.get(this.#name, key))) ?? null
  }

  /**
   * Returns what is there, or else writes a value, so that of two tabs at once both get the same.
   * @throws when the browser refuses it
   */
  async readOrWrite(key: Key, value: Value): Promise<Value> {
    return this.change(key, (there) => there ?? value)
  }

  /**
   * Replaces what is there in one step, so that nothing of another tab comes between. Returns what is there then.
   * @param to returns the new value; where that is what it was given, or null, nothing is written
   * @throws when the browser refuses it
   */
  async change<Then extends Value | null>(key: Key, to: (there: Value | null) => Then): Promise<Then> {
    return this.#asks(async (database) => {
      const transaction = this.#changing(database)
      const there: Value | null = (await transaction.store.get(key)) ?? null
      const then = to(there)
      if (then !== null && then !== there) await transaction.store.put(then, key)
      await transaction.done
      return then
    })
  }

  /** Removes an entry that is as it is meant to be. @throws when the browser refuses it: the entry may still be there */
  async remove(key: Key, isMeant: (value: Value) => boolean = () => true): Promise<void> {
    await this.#asks(async (database) => {
      const transaction = this.#changing(database)
      const value: Value | undefined = await transaction.store.get(key)
      if (value !== undefined && isMeant(value)) await transaction.store.delete(key)
      await transaction.done
    })
  }

  /** Removes the entries that are old. Where the browser refuses it, they stay until the next time. */
  async sweep(isOld: (value: Value) => boolean): Promise<void> {
    try {
      for (const [key, value] of await this.all()) if (isOld(value)) await this.remove(key, isOld)
    } catch {}
  }

  /** @throws when the browser refuses to tell */
  async all(): Promise<readonly (readonly [Key, Value])[]> {
    const [keys, values] = await this.#asks((database) => {
      const { store } = database.transaction(this.#name)
      return Promise.all([store.getAllKeys(), store.getAll()])
    })
    return keys.map((key, at) => [key as Key, values[at]] as const)
  }

  /** Where one of its requests fails, that is told. Its end fails then too, and nobody waits for that: a worker would break by it. */
  #changing(database: IDBPDatabase): IDBPTransaction<unknown, [string], 'readwrite'> {
    const transaction = database.transaction(this.#name, 'readwrite')
    transaction.done.catch(() => {})
    return transaction
  }

  /** @throws when there is no answer within a limit; the next question then goes to a new connection */
  async #asks<Answer>(ask: (database: IDBPDatabase) => Promise<Answer>): Promise<Answer> {
    const opened = this.#open()
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        if (this.#opened === opened) this.#opened = null
        reject(new Unanswered())
      }, ANSWER_LIMIT_MS)
      const isAnswered = () => clearTimeout(limit)
      void opened.then(ask).then(resolve, reject).finally(isAnswered)
    })
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
