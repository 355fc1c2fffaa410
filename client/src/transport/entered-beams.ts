/** The beams whose keys this page has in memory, and what the browser keeps of them for later pages. */
import { Comparisons } from '../crypto/comparisons'
import { HandingOver } from '../crypto/handing-over'
import { Keyring } from '../crypto/keyring'
import { LinkJoining } from '../crypto/link-joining'
import type { KeptShared } from '../crypto/shared-keys'
import type { BeamId } from '../protocol/bindings'
import { NotEntered } from './not-entered'

/** Where keys outlive the page. */
export interface KeptKeys {
  /** @throws when it is not told what is kept */
  read(beam: BeamId): Promise<KeptShared | null>
  write(beam: BeamId, keys: KeptShared): Promise<void>
  /** @throws when they may still be there */
  remove(beam: BeamId): Promise<void>
}

/** The keys of a beam, and what lets devices in and hands them on. */
export class EnteredBeam {
  readonly joining: LinkJoining
  readonly comparing: Comparisons
  readonly handing: HandingOver

  constructor(readonly ring = new Keyring()) {
    this.joining = new LinkJoining(ring)
    this.comparing = new Comparisons(ring)
    this.handing = new HandingOver(ring)
  }
}

export class EnteredBeams {
  readonly #beams = new Map<BeamId, EnteredBeam>()
  /** What writes and removes the keys of a beam, one after the other. */
  readonly #turns = new Map<BeamId, Promise<unknown>>()

  constructor(readonly kept: KeptKeys) {}

  /** @throws `NotEntered` where the page has not entered it in this worker */
  of(beam: BeamId): EnteredBeam {
    const entered = this.#beams.get(beam)
    if (!entered) throw new NotEntered()
    return entered
  }

  /** Begins with the keys that an earlier page has kept, where there are any. */
  async enter(beam: BeamId, made?: EnteredBeam): Promise<EnteredBeam> {
    const entered = made ?? this.#beams.get(beam) ?? new EnteredBeam()
    this.#beams.set(beam, entered)
    // Keys are swept by the time at which they were written last.
    await this.keep(beam, entered.ring)
    return entered
  }

  /** The beam has another id. @param change what the keys become, before they are kept under it */
  async move(before: BeamId, now: BeamId, change: (ring: Keyring) => Promise<unknown>): Promise<Keyring> {
    // Not where it is known: what is asked next is asked of the new id.
    if (!this.#beams.has(before)) await this.enter(before)
    const moving = this.of(before)
    this.#beams.delete(before)
    this.#beams.set(now, moving)
    const { ring } = moving
    const isRead = await this.#restore(before, ring)
    await change(ring)
    // Where the browser refuses it, they are swept by their time.
    if ((await this.keep(now, ring)) && isRead) await this.#remove(before).catch(() => {})
    return ring
  }

  /** Nothing of its keys stays, or comes back from a call that is under way. @throws when the browser may still have them */
  async forget(beam: BeamId): Promise<void> {
    this.#beams.delete(beam)
    await this.#remove(beam)
  }

  /**
   * Keeps what this page has, with what other pages of this browser have kept since.
   * @returns false where that is not known: nothing is written then, because it may be more than this page has
   */
  async keep(beam: BeamId, ring: Keyring): Promise<boolean> {
    if (!(await this.#restore(beam, ring))) return false
    await this.#inTurn(beam, async () => {
      // It may have been removed since, or entered anew.
      if (this.#idOf(ring) === beam && ring.kept) await this.kept.write(beam, ring.kept)
    })
    const now = this.#idOf(ring)
    return now === undefined || now === beam || this.keep(now, ring)
  }

  /** Takes what is kept of a beam. Returns false where that is not known. */
  async #restore(beam: BeamId, ring: Keyring): Promise<boolean> {
    try {
      const kept = await this.kept.read(beam)
      if (kept) await ring.restore(kept)
      return true
    } catch {
      return false
    }
  }

  #remove(beam: BeamId): Promise<void> {
    return this.#inTurn(beam, () => this.kept.remove(beam))
  }

  /** Returns the id that the beam of these keys has now; nothing where the page has left it for good. */
  #idOf(ring: Keyring): BeamId | undefined {
    return [...this.#beams].find(([, one]) => one.ring === ring)?.[0]
  }

  /** Else keys that are still being written would be there again after they were removed. */
  async #inTurn(beam: BeamId, step: () => Promise<void>): Promise<void> {
    const done = (this.#turns.get(beam) ?? Promise.resolve()).then(step)
    const turn = done.catch(() => {})
    this.#turns.set(beam, turn)
    await turn
    if (this.#turns.get(beam) === turn) this.#turns.delete(beam)
    return done
  }
}
