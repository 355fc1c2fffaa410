/** The server's copies of the files that come here: the last of the ways (F22). */
import type { Incoming } from './incoming'
import { type ReadPart, StoredLink } from './stored-link'

export class StoredCopies {
  readonly #links = new WeakMap<Incoming, StoredLink>()

  constructor(
    readonly read: ReadPart,
    readonly now: () => number,
  ) {}

  /** Whether the rest of a file could come from a copy. */
  has(incoming: Incoming): boolean {
    return this.#links.get(incoming)?.isBanned === false
  }

  /** Whether the device that shared a file is not here, and its copy gives nothing any more. */
  isForsaken(incoming: Incoming): boolean {
    return this.#links.get(incoming)?.isBanned === true && !incoming.source.isHere
  }

  /** Whether the rest of a file may come from a copy, or waits for one that gives nothing any more. */
  concerns(incoming: Incoming): boolean {
    return this.has(incoming) || this.isForsaken(incoming)
  }

  /** Where the copy of a file is; undefined while none is known. */
  urlOf(incoming: Incoming): string | undefined {
    return this.#links.get(incoming)?.url ?? incoming.file.url
  }

  learn(incoming: Incoming, url: string): void {
    const known = this.#links.get(incoming)
    if (known?.url === url) return
    known?.stop()
    this.#links.set(incoming, new StoredLink(incoming, url, this.read, this.now))
  }

  /** Called several times a second while a transfer is under way. */
  look(incoming: Incoming): void {
    this.#links.get(incoming)?.look()
  }

  /** Bytes of a file became durable. */
  hasRoom(incoming: Incoming): void {
    this.#links.get(incoming)?.hasRoom()
  }

  /** What a copy gave is wrong: it is not read again. */
  ban(incoming: Incoming): void {
    this.#links.get(incoming)?.ban()
  }

  stop(incoming: Incoming): void {
    this.#links.get(incoming)?.stop()
  }
}
