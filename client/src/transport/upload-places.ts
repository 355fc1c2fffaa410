/** Where unfinished uploads go on after a reload: the addresses that the server gave them (H45). */
import type { BeamId, ItemId } from '../protocol/bindings'
import type { FileSeal } from '../protocol/item'
import { Table } from './table'

/** The server ends an upload that nobody goes on with for so many milliseconds (H47). */
const KEPT_MS = 24 * 60 * 60 * 1000
/** A page that is loaded again gets the place once the old page is gone, which takes a moment, on a slow phone more. */
const LET_GO_WITHIN_MS = 3000

/**
 * Names the place of the upload of an item's file. Each item has a place of its own, and so has one seal (E7): pieces of two files
 * would make none. Facts of a file do not tell it from another one of that name, size and time, and change when it is packed again.
 */
export function uploadKey(beam: BeamId, id: ItemId, seal?: FileSeal): string {
  return JSON.stringify(seal ? [beam, seal.salt] : [beam, id])
}

interface Place {
  readonly url: string
  /** Milliseconds since the Unix epoch. */
  readonly keptAt: number
}

export class UploadPlaces {
  readonly #table = new Table<string, Place>('uploading', 'files')
  /** The places that this page has, and what lets other tabs have them. */
  readonly #taken = new Map<string, () => void>()

  /**
   * @param now milliseconds since the Unix epoch
   * @param locks null on plain http, where tabs know nothing of each other
   */
  constructor(
    readonly now: () => number = Date.now,
    readonly locks: LockManager | null = globalThis.navigator?.locks ?? null,
  ) {}

  /**
   * Returns where the upload of such a file stopped; `url` is null when it is to begin. Until the place is left, nobody else
   * gets it, in this tab or another: a copy of a tab has the same items, and pieces of two uploads would disturb each other.
   */
  async take(file: string): Promise<{ key: string; url: string | null }> {
    let key = file
    while (!(await this.#claim(key))) key += '+'
    // Where the browser does not tell, it begins anew.
    return { key, url: await this.#urlAt(key).catch(() => null) }
  }

  /** Whether the upload of such a file goes on somewhere, so that its room is reserved. */
  async has(file: string): Promise<boolean> {
    return (await this.#urlAt(file).catch(() => null)) !== null
  }

  async #urlAt(key: string): Promise<string | null> {
    const place = await this.#table.read(key)
    return place && this.#isFresh(place) ? place.url : null
  }

  async #claim(key: string): Promise<boolean> {
    if (this.#taken.has(key)) return false
    this.#taken.set(key, () => {})
    const release = this.locks ? await hold(this.locks, `upload ${key}`) : () => {}
    if (release) this.#taken.set(key, release)
    else this.#taken.delete(key)
    return release !== null
  }

  async keep(key: string, url: string): Promise<void> {
    // Where it cannot be kept, a later page begins again.
    await this.#table.write(key, { url, keptAt: this.now() }).catch(() => {})
    await this.#table.sweep((place) => !this.#isFresh(place))
  }

  /** Lets another upload go on there. */
  leave(key: string): void {
    this.#taken.get(key)?.()
    this.#taken.delete(key)
  }

  /** Forgets an address that has ended. */
  async forget(key: string, url: string): Promise<void> {
    // Where the browser refuses it, the entry is swept by its time.
    await this.#table.remove(key, (place) => place.url === url).catch(() => {})
  }

  #isFresh({ keptAt }: Place): boolean {
    return this.now() - keptAt < KEPT_MS
  }
}

/** Holds a lock until the returned function is called; null when another tab keeps it. A browser that refuses locks gives it. */
function hold(locks: LockManager, name: string): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(LET_GO_WITHIN_MS)
    const untilReleased = () => new Promise<void>((release) => resolve(release))
    locks.request(name, { signal }, untilReleased).catch(() => resolve(signal.aborted ? null : () => {}))
  })
}

/** The places of this page's uploads. */
export const uploadPlaces = new UploadPlaces()
