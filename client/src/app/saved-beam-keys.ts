/**
 * The keys of saved beams that the page is not in: they change when somebody may not read a beam any more, and follow it when its link is
 * renewed here. What fails is done later, by another page too: until then whoever was removed has the keys.
 */
import type { BeamId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import { deposited } from '../stores/vault'
import type { SecretsDoor } from '../transport/secrets-door'
import type { RekeyedHere } from './beam-channel'
import { keysToChange } from './beam-entries'
import { longerPause, PAUSE_MS, pause } from './until-told'

export interface SavedBeamKeysEvents {
  /**
   * Changes the keys of the beam that the page is in; returns null where that is another one.
   */
  rekeyHere(beam: BeamId): Promise<RekeyedHere> | null
  /** Renews a stale login, which the worker does not. */
  renewLogin(): Promise<unknown>
  /** New keys could not be made or deposited yet. */
  onFailed(): void
  /** New keys wait until the person opens the vault. */
  onLocked(): void
}

interface Due {
  /**
   * `to-make`: new keys are wanted. `here`: the channel of the page makes and deposits them. `made`: they are here, and not deposited.
   * `hidden`: there are none to change, as far as the server shows, which could show them later. Later pages ask again for a month, and this
   * one once it is in the beam.
   */
  state: 'to-make' | 'here' | 'made' | 'hidden'
}

export class SavedBeamKeys {
  readonly #due = new Map<BeamId, Due>()
  /** One after the other: what asks for a beam by the id of before finds nothing once its link is renewed. */
  #last: Promise<void> = Promise.resolve()
  #isTrying = false
  /** How long the next attempt waits, in milliseconds: each may make new keys, of which a beam has only so many. */
  #wait = PAUSE_MS

  constructor(
    readonly secrets: Pick<SecretsDoor, 'rekeySaved' | 'depositSaved' | 'moved'>,
    readonly stores: Pick<Stores, 'account' | 'vault'>,
    readonly events: SavedBeamKeysEvents,
  ) {
    stores.vault.subscribe(({ own }, before) => own !== before.own && this.#look())
  }

  /** The keys of a beam are to change soon, and by a later page where this one is closed before. Returns what takes that back. */
  expect(beam: BeamId): () => void {
    const name = this.#username
    if (name === null || keysToChange.get(beam, name) !== null) return () => {}
    keysToChange.set(beam, name, '')
    return () => {
      if (!this.#due.has(beam)) keysToChange.remove(beam, name)
    }
  }

  /** Resolves once there are new keys where others find them, or the first attempt has failed. */
  async change(beam: BeamId): Promise<void> {
    const name = this.#username
    const due: Due = { state: 'to-make' }
    if (name !== null) {
      keysToChange.set(beam, name, '')
      this.#due.set(beam, due)
    }
    if (this.stores.vault.getState().own?.is === 'locked') this.events.onLocked()
    if (this.#changesHere(beam, due) || !this.#mayTry) return
    await this.#attempt(beam).catch(() => {})
    if (this.#isDue(beam)) this.events.onFailed()
    void this.#tryAgain()
  }

  /** The beam has another id, because its link was renewed here: the new one is to open what is saved too. */
  moved(before: BeamId, now: BeamId): void {
    const move = async () => {
      const state = this.#due.get(before)?.state ?? 'made'
      this.#due.delete(before)
      this.#due.set(now, { state: state === 'made' ? state : 'to-make' })
      await this.secrets.moved(before, now, true)
    }
    const isMoved = this.#inOrder(move).then(() => this.#attempt(now))
    void isMoved.catch(() => {}).then(() => this.#tryAgain())
  }

  /** The page is in a beam now: its channel finds what the server did not show before. */
  entered(beam: BeamId): void {
    const due = this.#due.get(beam)
    if (due?.state === 'hidden') this.#changesHere(beam, due)
  }

  /** The beam that the page is in has another id, to which its channel goes by itself. */
  followed(before: BeamId, now: BeamId): void {
    const due = this.#due.get(before)
    if (!due) return
    this.#due.delete(before)
    this.#due.set(now, due)
  }

  /** What this device had of the beam is gone from it, with new keys that were not deposited. */
  forgotten(beam: BeamId): void {
    const due = this.#due.get(beam)
    if (due?.state === 'made') due.state = 'to-make'
  }

  /** Keys are deposited, or go nowhere for good, once it is known where they go. */
  get #mayTry(): boolean {
    const { own } = this.stores.vault.getState()
    return own?.is === 'open' || own?.is === 'none'
  }

  get #username(): string | null {
    const account = this.stores.account.getState()
    return account.status === 'authenticated' ? account.user.username : null
  }

  #isDue(beam: BeamId): boolean {
    const state = this.#due.get(beam)?.state
    return state === 'to-make' || state === 'made'
  }

  /** Has the channel of the page change the keys of its beam. Returns false where the page is in another one. */
  #changesHere(beam: BeamId, due: Due): boolean {
    const changed = this.events.rekeyHere(beam)
    if (!changed) return false
    due.state = 'here'
    void changed.then((how) => {
      if (how === 'clear') {
        due.state = 'hidden'
        return
      }
      // With a locked vault the new ones are on this device alone, where nobody else finds them.
      if (how === 'done' && this.#mayTry) return this.#done(due)
      // The beam was left, or nobody is logged in.
      due.state = 'to-make'
      void this.#tryAgain()
    })
    return true
  }

  /** The login or the vault is another one, or an earlier page has left something. */
  #look(): void {
    const name = this.#username
    if (name === null || this.stores.vault.getState().own === null) return this.#due.clear()
    if (!this.#mayTry) return
    for (const beam of keysToChange.beams)
      if (keysToChange.get(beam, name) !== null && !this.#due.has(beam))
        this.#due.set(beam, { state: 'to-make' })
    void this.#tryAgain()
  }

  /** Goes on until there are new keys everywhere, as long as somebody is logged in. */
  async #tryAgain(): Promise<void> {
    if (this.#isTrying) return
    this.#isTrying = true
    for (;;) {
      const due = [...this.#due.keys()].filter((beam) => this.#isDue(beam))
      if (due.length === 0 || !this.#mayTry) break
      await pause(this.#wait)
      this.#wait = longerPause(this.#wait)
      await this.events.renewLogin().catch(() => {})
      for (const beam of due) await this.#attempt(beam).catch(() => {})
    }
    this.#isTrying = false
  }

  /** @throws when it may succeed later */
  #attempt(beam: BeamId): Promise<void> {
    return this.#inOrder(async () => {
      const due = this.#due.get(beam)
      if (!due || !this.#isDue(beam) || !this.#mayTry) return
      if (due.state === 'to-make' && this.#changesHere(beam, due)) return
      await this.#changeSaved(beam, due)
      if (due.state === 'hidden') return
      this.stores.vault.setState(deposited)
      this.#done(due)
    })
  }

  async #changeSaved(beam: BeamId, due: Due): Promise<void> {
    if (due.state === 'to-make') {
      const rekeyed = await this.secrets.rekeySaved(beam)
      // The link may be renewed at the moment: then it is there under the next id.
      if (rekeyed !== 'done') due.state = rekeyed
    }
    if (due.state !== 'made') return
    const { went } = await this.secrets.depositSaved(beam)
    if (went === 'exposed') due.state = 'to-make'
    if (went === 'exposed' || went === 'not-yet') throw new Error('Nobody finds the new keys.')
  }

  #done(due: Due): void {
    // Somebody else may have been removed meanwhile, or the beam has another id.
    const beam = [...this.#due.keys()].find((one) => this.#due.get(one) === due)
    if (beam === undefined) return
    this.#wait = PAUSE_MS
    this.#due.delete(beam)
    if (this.#username !== null) keysToChange.remove(beam, this.#username)
  }

  #inOrder(step: () => Promise<void>): Promise<void> {
    const done = this.#last.then(step)
    this.#last = done.catch(() => {})
    return done
  }
}
