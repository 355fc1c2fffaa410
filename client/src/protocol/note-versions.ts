/**
 * Notices when another device replaces a version of a note that this device made, without having seen it: two devices
 * changed the same version, and the server kept the later one. Each version names the one it was made from (S36).
 */
import type { ItemId } from './bindings'
import type { Tick } from './check-list'
import type { RichNote } from './rich-note'

/** What this device changed: ticks, which can be done again on any version, or the whole note. */
export type NoteChange = { readonly kind: 'ticks'; readonly ticks: readonly Tick[] } | NoteEdit

/** A whole note, with its mark where it came in clear text (E12). */
export interface NoteEdit {
  readonly kind: 'edit'
  readonly note: RichNote
  readonly isClear?: true | undefined
}

/** What a version lacks of this device's changes. Of several whole notes the newest counts, which knew the others. */
export interface Lacking {
  readonly ticks: readonly Tick[]
  readonly edit: NoteEdit | null
}

interface OwnVersion {
  readonly version: string
  readonly change: NoteChange
}

interface NoteHistory {
  /** The message that was shown last, which needs no look again. */
  shown: unknown
  /** In the order in which they were made. */
  own: readonly OwnVersion[]
  /** The versions known, own ones too, each with the one it was made from. The newest come last. */
  readonly bases: Map<string, string | null>
}

/** Notes with own versions remembered, the newest ones. */
const MOST_NOTES = 100
/** Versions of a note remembered, the newest ones. */
const MOST_VERSIONS = 100

export class NoteVersions {
  readonly #notes = new Map<ItemId, NoteHistory>()

  /** This device shares a version of a note. */
  made(id: ItemId, message: unknown, change: NoteChange): void {
    const history = this.#notes.get(id) ?? { shown: null, own: [], bases: new Map() }
    const [version, base] = [versionOf(message), baseOf(message)]
    // The version before comes back when the server refuses this one.
    if (base !== null && !history.bases.has(base)) learn(history, base, null)
    learn(history, version, base)
    history.own = [...history.own, { version, change }]
    this.#notes.delete(id)
    this.#notes.set(id, history)
    const [oldest] = this.#notes.keys()
    if (this.#notes.size > MOST_NOTES && oldest !== undefined) this.#notes.delete(oldest)
  }

  /**
   * A version is shown now. Returns the changes that it lacks because its author did not know of them, once; null when
   * it lacks none. A version that does not say what it was made from counts as knowing all before it. One made from a
   * version that never came here may lack all.
   */
  seen(id: ItemId, message: unknown): Lacking | null {
    const history = this.#notes.get(id)
    if (!history || history.shown === message) return null
    history.shown = message
    const [version, base] = [versionOf(message), baseOf(message)]
    if (history.bases.has(version)) return null
    learn(history, version, base)
    const known = base === null ? null : chainFrom(history.bases, version)
    const lacking = history.own.filter((own) => known && !known.has(own.version))
    history.own = history.own.filter((own) => known?.has(own.version))
    return lacking.length === 0 ? null : together(lacking)
  }
}

function learn(history: NoteHistory, version: string, base: string | null): void {
  history.bases.set(version, base)
  const [oldest] = history.bases.keys()
  if (history.bases.size <= MOST_VERSIONS || oldest === undefined) return
  history.bases.delete(oldest)
  history.own = history.own.filter((own) => own.version !== oldest)
}

/** Returns a version and all before it, as far as they are known. */
function chainFrom(bases: NoteHistory['bases'], from: string): ReadonlySet<string> {
  const chain = new Set<string>()
  let at: string | null = from
  while (at !== null && !chain.has(at)) {
    chain.add(at)
    at = bases.get(at) ?? null
  }
  return chain
}

function together(lacking: readonly OwnVersion[]): Lacking {
  const ticks = lacking.flatMap(({ change }) => (change.kind === 'ticks' ? change.ticks : []))
  const edits = lacking.flatMap(({ change }) => (change.kind === 'edit' ? [change] : []))
  return { ticks, edit: edits.at(-1) ?? null }
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
