/**
 * The keys of saved beams that the page is not in: they change when somebody may not read a beam any more, and follow it when its link is
 * renewed here. What fails is done later, by another page too: until then whoever was removed has the keys.
 */
import type { BeamId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import type { SecretsDoor } from '../transport/secrets-door'
import { keysToChange } from './beam-entries'
import { longerPause, PAUSE_MS, pause } from './until-told'

export interface SavedBeamKeysEvents {
  /** Changes the keys of the beam that the page is in. Returns false where that is another one. */
  rekeyHere(beam: BeamId): boolean
  /** Renews a stale login, which the worker does not. */
  renewLogin(): Promise<unknown>
  /** New keys could not be made or deposited yet. */
  onFailed(): void
}

interface Due {
  /** `to-make`: new keys are wanted. `made`: they are here, and not deposited. `needless`: nothing is there under this id. */
  state: 'to-make' | 'made' | 'needless'
}

export class SavedBeamKeys {
  readonly #due = new Map<BeamId, Due>()
  /** One after the other: what asks for a beam by the id of before finds nothing once its link is renewed. */
  #last: Promise<void> = Promise.resolve()
  #isTrying = false

  constructor(
    readonly secrets: Pick<SecretsDoor, 'rekeySaved' | 'depositSaved' | 'moved'>,
    readonly stores: Pick<Stores, 'account' | 'vault'>,
    readonly events: SavedBeamKeysEvents,
  ) {
    stores.vault.subscribe(({ own }, before) => own !== before.own && this.#look())
  }

  /** Resolves once there are new keys where others find them, or the first attempt has failed. */
  async change(beam: BeamId): Promise<void> {
    const name = this.#username
    if (name === null) return
    keysToChange.set(beam, name, '')
    this.#due.set(beam, { state: 'to-make' })
    if (!this.#mayTry) return
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
    return state !== undefined && state !== 'needless'
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
    for (let wait = PAUSE_MS; ; wait = longerPause(wait)) {
      const due = [...this.#due.keys()].filter((beam) => this.#isDue(beam))
      if (due.length === 0 || !this.#mayTry) break
      await pause(wait)
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
      if (due.state === 'to-make' && !this.events.rekeyHere(beam)) {
        const rekeyed = await this.secrets.rekeySaved(beam)
        // The link may be renewed at the moment: then it is there under the next id.
        if (rekeyed !== 'done') due.state = rekeyed
      }
      if (due.state === 'made') await this.secrets.depositSaved(beam)
      this.#done(beam, due)
    })
  }

  #done(beam: BeamId, due: Due): void {
    // Somebody else may have been removed meanwhile.
    if (this.#due.get(beam) !== due) return
    if (due.state !== 'needless') this.#due.delete(beam)
    if (this.#username !== null) keysToChange.remove(beam, this.#username)
  }

  #inOrder(step: () => Promise<void>): Promise<void> {
    const done = this.#last.then(step)
    this.#last = done.catch(() => {})
    return done
  }
}
