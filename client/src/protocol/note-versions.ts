/**
 * Notices when another device replaces a version of a note that this device made, without having seen it: two devices
 * changed the same version, and the server kept the later one. Each version names the one it was made from (S36).
 */
import type { ItemId } from './bindings'
import type { Tick } from './check-list'
import type { RichNote } from './rich-note'

/** What this device changed: one tick, which can be done again on any version, or the whole note. */
export type NoteChange =
  | { readonly kind: 'tick'; readonly tick: Tick }
  | { readonly kind: 'edit'; readonly note: RichNote }

interface OwnVersion {
  readonly version: string
  readonly base: string | null
  readonly change: NoteChange
  /** The versions seen since, each with the one it was made from. */
  readonly bases: Map<string, string | null>
}

/** Own versions remembered, the newest ones. */
const MOST_NOTES = 100
/** Versions followed back at most. */
const LONGEST_CHAIN = 100

export class NoteVersions {
  readonly #own = new Map<ItemId, OwnVersion>()

  /** This device shares a version of a note. */
  made(id: ItemId, message: unknown, change: NoteChange): void {
    this.#own.delete(id)
    this.#own.set(id, { version: versionOf(message), base: baseOf(message), change, bases: new Map() })
    const [oldest] = this.#own.keys()
    if (this.#own.size > MOST_NOTES && oldest !== undefined) this.#own.delete(oldest)
  }

  /** The notes of which this device made a version. */
  get notes(): Iterable<ItemId> {
    return this.#own.keys()
  }

  /**
   * A version is shown now. Returns the change that it lacks because its author did not know of it, once; else null. A
   * version that does not say what it was made from counts as knowing all before it.
   */
  seen(id: ItemId, message: unknown): NoteChange | null {
    const own = this.#own.get(id)
    if (!own) return null
    const version = versionOf(message)
    // The version before comes back when the server has refused this one.
    if (version === own.version || version === own.base || own.bases.has(version)) return null
    own.bases.set(version, baseOf(message))
    if (knows(own, version)) return null
    this.#own.delete(id)
    return own.change
  }
}

function knows({ version, base, bases }: OwnVersion, from: string): boolean {
  let at: string | null = from
  for (let steps = 0; at !== null && steps < LONGEST_CHAIN; steps += 1) {
    if (at === version) return true
    if (at === base) return false
    at = bases.get(at) ?? null
  }
  return true
}

/** Returns a short name of a version: a hash of its content, in hexadecimal digits. */
export function versionOf(message: unknown): string {
  const text = JSON.stringify(message) ?? ''
  return [0x811c9dc5, 0x9747b28c].map((seed) => hash(text, seed).toString(16).padStart(8, '0')).join('')
}

function baseOf(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('base' in message)) return null
  return typeof message.base === 'string' ? message.base : null
}

/** FNV-1a, 32 bits. */
function hash(text: string, seed: number): number {
  let sum = seed
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return sum >>> 0
}
