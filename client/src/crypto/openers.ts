/** The keys by which what was sealed in a beam opens, as one page has them: one of them seals, the others did before. */
import { type Bytes, toBase64Url } from './bytes'
import { headerOf, type Kind, type Opened, Opener } from './envelope'

/** More beam keys than a beam ever had say that somebody fills the memory: each removal of a device makes one. */
export const MOST_KEYS = 256

/** So long what a device has said before it heard of new keys is on its way, in milliseconds. */
const ON_ITS_WAY_MS = 60_000

/** What counts at the moment alone. A removed device has the keys of before, and could say it for ever. */
const MOMENTARY: readonly Kind[] = ['signal', 'delete_note']

export class Openers {
  /** By the id of the key. That which seals is the last, and those in front are the first to be cut off. */
  #openers: ReadonlyMap<string, Opener> = new Map()
  /** When the keys that sealed before were replaced, by their ids, in milliseconds since the Unix epoch. */
  readonly #replacedAt = new Map<string, number>()

  get size(): number {
    return this.#openers.size
  }

  /** The keys, as base64url. That which seals is the last. */
  get keys(): readonly string[] {
    return [...this.#openers.values()].map(({ beamKey }) => toBase64Url(beamKey))
  }

  /** Whether any of the keys with these ids is here. */
  hasAny(ids: Iterable<string>): boolean {
    return [...ids].some((id) => this.#openers.has(id))
  }

  /** Takes keys to open with. Those that are known count before them: made up ones would push them out. */
  add(keys: ReadonlyMap<string, Bytes>): void {
    const fresh = [...keys].filter(([id]) => !this.#openers.has(id))
    this.#keepOnly([...fresh.map(([id, key]) => [id, new Opener(key)] as const), ...this.#openers])
  }

  /** @param before the id of the key that sealed until now; null where none did */
  sealsWith(id: string, beamKey: Bytes, before: string | null): void {
    const others = [...this.#openers].filter(([other]) => other !== id)
    this.#keepOnly([...others, [id, this.#openers.get(id) ?? new Opener(beamKey)]])
    if (before !== null) this.#replacedAt.set(before, Date.now())
  }

  #keepOnly(openers: readonly (readonly [string, Opener])[]): void {
    this.#openers = new Map(openers.slice(-MOST_KEYS))
  }

  /** Whether an envelope is under a key that is here. */
  knows(envelope: string): boolean {
    return this.#openers.has(keyIdOf(envelope))
  }

  /**
   * Whether what is sealed under a key counts, or only says what somebody may have said long ago.
   * @param sealing the id of the key that seals
   */
  counts(kind: Kind, envelope: string, sealing: string | null): boolean {
    const keyId = keyIdOf(envelope)
    if (!MOMENTARY.includes(kind) || keyId === sealing) return true
    return Date.now() - (this.#replacedAt.get(keyId) ?? -Infinity) < ON_ITS_WAY_MS
  }

  /** Returns null for what does not open. */
  async open(kind: Kind, envelope: string): Promise<Opened | null> {
    return this.#openers.get(keyIdOf(envelope))?.open(kind, envelope) ?? null
  }
}

function keyIdOf(envelope: string): string {
  return headerOf(envelope)?.keyId ?? ''
}
