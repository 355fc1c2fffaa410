/**
 * What this browser stores of beams, in entries of which each is written alone: two tabs of one beam know of different ones, and one that
 * wrote all that it knows would take away what the other has learnt since.
 */
import { BEAM_ID_LENGTH } from '../protocol/beam-link'
import type { BeamId } from '../protocol/bindings'
import { browserStorage } from '../stores/site-storage'

/** As long as the keys of the beam are kept. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000

class BeamEntries {
  readonly #entries: string
  /**
   * When this browser was in a beam last, in milliseconds since the Unix epoch; only of those that have entries. In the entries it would
   * have to be written again and again, over what another tab writes.
   */
  readonly #times: string

  constructor(name: string) {
    this.#entries = `${name}:`
    this.#times = `${name}-time:`
  }

  /** Returns what is stored of a beam, by its keys. */
  of(beam: BeamId): readonly (readonly [key: string, text: string])[] {
    const prefix = this.#key(beam, '')
    return browserStorage
      .keys(prefix)
      .map((key) => [key.slice(prefix.length), browserStorage.getItem(key) ?? ''] as const)
  }

  /** Whether an entry of the browser's storage is one of a beam. */
  isOf(beam: BeamId, entry: string): boolean {
    return entry.startsWith(this.#key(beam, ''))
  }

  get(beam: BeamId, key: string): string | null {
    return browserStorage.getItem(this.#key(beam, key))
  }

  set(beam: BeamId, key: string, text: string): void {
    this.#setTime(beam)
    browserStorage.setItem(this.#key(beam, key), text)
  }

  remove(beam: BeamId, key: string): void {
    browserStorage.removeItem(this.#key(beam, key))
  }

  /** Whether anything is kept of a beam: also where all entries were removed, and not once they have moved or the beam has ended. */
  isKept(beam: BeamId): boolean {
    return browserStorage.getItem(this.#times + beam) !== null
  }

  /** This browser is in the beam: what is stored of it stays for another month. */
  keep(beam: BeamId): void {
    if (this.of(beam).length > 0) this.#setTime(beam)
  }

  /** The beam has another id (H28). Another tab may have moved what is stored before. */
  move(from: BeamId, to: BeamId): void {
    for (const [key, text] of this.of(from)) this.set(to, key, text)
    this.forget(from)
  }

  /** The beam has ended. */
  forget(beam: BeamId): void {
    // The time goes first: another tab that hears of an entry that is gone knows by it that nobody has removed that one alone.
    browserStorage.removeItem(this.#times + beam)
    browserStorage.removeItems(this.#entries + beam)
  }

  /** Forgets the beams in which this browser has not been for a month. */
  sweep(now: number): void {
    for (const beam of this.beams) {
      const time = browserStorage.getItem(this.#times + beam)
      // Those of an earlier version of this page may have none.
      if (time === null) this.#setTime(beam, now)
      else if (now - Number(time) >= KEPT_MS) this.forget(beam)
    }
  }

  /** Those of which something is stored. */
  get beams(): ReadonlySet<BeamId> {
    const named = [this.#entries, this.#times].flatMap((prefix) =>
      browserStorage.keys(prefix).map((key) => key.slice(prefix.length)),
    )
    return new Set(named.map((text) => text.slice(0, BEAM_ID_LENGTH) as BeamId))
  }

  #setTime(beam: BeamId, now = Date.now()): void {
    browserStorage.setItem(this.#times + beam, String(now))
  }

  #key(beam: BeamId, key: string): string {
    return `${this.#entries}${beam}:${key}`
  }
}

/** What people have compared (E8), by the ids of the devices. */
export const comparedDevices = new BeamEntries('trust')
/** The devices to which a person has chosen to send in clear text (E12). */
export const clearChoices = new BeamEntries('clear-copies')
/**
 * The copies in clear text that a device has made and that are still there, by its id. The tabs of a browser are different devices, and
 * none is given what another one has sent to one device.
 */
export const clearCopies = new BeamEntries('made-copies')
/** The saved beams whose keys are to change, because somebody may not read them any more: for whom, by usernames. */
export const keysToChange = new BeamEntries('keys-to-change')

/** What this browser knows of a beam. */
const KNOWN = [comparedDevices, clearChoices, clearCopies]
const ALL = [...KNOWN, keysToChange]

/** The beam has another id (H28). */
export function moveEntries(from: BeamId, to: BeamId): void {
  for (const entries of ALL) entries.move(from, to)
}

/**
 * The beam has ended, or a person wants nothing of it to stay in this browser. Not that its keys are to change: they were told that this is
 * tried again by itself. That a beam is really gone, a server can only say: what is to be done there is forgotten after a month.
 */
export function forgetKnown(beam: BeamId): void {
  for (const entries of KNOWN) entries.forget(beam)
}

/** Forgets the beams in which this browser has not been for a month. */
export function sweepEntries(now: number): void {
  for (const entries of ALL) entries.sweep(now)
}
