/** Where unfinished uploads go on after a reload: the addresses that the server gave them (H45). */
import { Table } from './table'

/** The server ends an upload that nobody goes on with for so many milliseconds (H47). */
const KEPT_MS = 24 * 60 * 60 * 1000

interface Place {
  readonly url: string
  /** Milliseconds since the Unix epoch. */
  readonly keptAt: number
}

export class UploadPlaces {
  readonly #table = new Table<string, Place>('uploading', 'files')
  readonly #taken = new Set<string>()

  /** @param now milliseconds since the Unix epoch */
  constructor(readonly now: () => number = Date.now) {}

  /**
   * Returns where the upload of such a file stopped; `url` is null when it is to begin. Until the place is left, nobody else
   * gets it: the same file may be shared twice at a time.
   */
  async take(file: string): Promise<{ key: string; url: string | null }> {
    let key = file
    while (this.#taken.has(key)) key += '+'
    this.#taken.add(key)
    const place = await this.#table.read(key)
    return { key, url: place && this.#isFresh(place) ? place.url : null }
  }

  async keep(key: string, url: string): Promise<void> {
    // Where it cannot be kept, a later page begins again.
    await this.#table.write(key, { url, keptAt: this.now() }).catch(() => {})
    const old = (place: Place) => !this.#isFresh(place)
    for (const [other, place] of await this.#table.all().catch(() => []))
      if (old(place)) await this.#table.remove(other, old)
  }

  /** Lets another upload go on there. */
  leave(key: string): void {
    this.#taken.delete(key)
  }

  /** Forgets an address that has ended. */
  async forget(key: string, url: string): Promise<void> {
    await this.#table.remove(key, (place) => place.url === url)
  }

  #isFresh({ keptAt }: Place): boolean {
    return this.now() - keptAt < KEPT_MS
  }
}
