/** The keys of a saved beam, as they are deposited with it, for whoever may read it (E9), or lie in vaults (E18). */
import type { BeamId } from '../protocol/bindings'
import { Gate } from '../transport/gate'
import type { Deposited, Having, Withdrawn } from '../transport/having'
import type { SecretsDoor } from '../transport/secrets-door'
import { pause, untilTold } from './until-told'

export interface DepositedBeamKeysEvents {
  beam(): BeamId
  /** Whether this device has the key that seals. */
  isSealed(): boolean
  /** Resolves once it has been looked up what this device has. */
  entered(): Promise<void>
  /** Renews a stale login, and resolves to whether anybody is logged in. @throws when the server does not tell */
  isLoggedIn(): Promise<boolean>
  /**
   * It has been looked up what lies there, which this device may not have had. @param isInVaults whether keys of the beam lie in vaults, so
   * that it is sealed, also where this device cannot take any
   */
  onWithdrawn(having: Having, isInVaults: boolean): void
  /** This device may have sent the keys to the server, whatever that has answered. */
  onSent(): void
  /**
   * What this device has deposited is there, unless the server refuses it; or new keys are to be made first. Resolves to whether the keys
   * lie where they go then.
   */
  onDeposited(deposited: Deposited): Promise<boolean>
}

export class DepositedBeamKeys {
  /** Whether the server stores the beam, and whether this device has looked there for its keys. */
  #isSaved = false
  #isWithdrawn = false
  /** Whether the person at this device has saved it, which the worker was not told yet. */
  #isMine = false
  /** How often this device has begun to look there, and what ends with the latest time. */
  #lookups = 0
  #looking: Promise<void> = Promise.resolve()
  /** How often it was told that others lie there now, and whether it goes after that already. */
  #news = 0
  #isFollowing = false
  /** How often the keys were to be deposited, and what ends with the latest time. */
  #deposits = 0
  #depositing: Promise<unknown> = Promise.resolve()
  /** Resolves to whether the keys that were to be deposited last lie there; to true where there was nothing to deposit. */
  #areThere: Promise<boolean> = Promise.resolve(true)
  /** Opens when the beam is saved. */
  readonly #savedNow = new Gate()
  #hasEnded = false

  constructor(
    readonly secrets: Pick<SecretsDoor, 'stored' | 'withdraw' | 'deposit'>,
    readonly events: DepositedBeamKeysEvents,
  ) {}

  /** Whether keys may lie there that this device has not looked for yet. */
  get isAwaited(): boolean {
    return this.#isSaved && !this.#isWithdrawn
  }

  /** The beam is saved. Resolves once the keys are where they go. @param isMine whether the person at this device has saved it */
  async saved(isMine: boolean): Promise<void> {
    this.#isSaved = true
    // A look that the next socket cuts short has told nobody.
    this.#isMine ||= isMine
    this.#looking = this.#join()
    this.#savedNow.open()
    await this.#looking
    await this.#depositing
  }

  /** Other keys may lie there now. */
  changed(): void {
    if (!this.#isSaved) return
    this.#news += 1
    if (!this.#isFollowing) void this.#follow()
  }

  async #join(): Promise<void> {
    // Each new socket asks anew.
    this.#lookups += 1
    const having = await this.#look()
    if (!having) return
    if (this.events.isSealed()) this.deposit(having)
    this.#isWithdrawn = true
    this.events.onWithdrawn(having, having.isInVaults)
  }

  /** Deposits nothing: all others are told of what is deposited, and each would do the same. */
  async #follow(): Promise<void> {
    this.#isFollowing = true
    let followed = 0
    while (followed !== this.#news && !this.#hasEnded) {
      await this.#looking
      followed = this.#news
      const having = await this.#look()
      if (having) this.events.onWithdrawn(having, having.isInVaults)
      // A server could tell of others without end.
      await pause()
    }
    this.#isFollowing = false
  }

  /**
   * Not in the order of what comes: an answer of the server that is late must not keep the signals waiting. Resolves to null when this device
   * joins anew meanwhile.
   */
  async #look(): Promise<Withdrawn | null> {
    const { beam, entered, isLoggedIn, isSealed } = this.events
    const lookup = this.#lookups
    // As long as the server does not tell, there may be keys: nothing is shared in clear text, and none are overwritten.
    return untilTold(
      async (): Promise<Withdrawn> => {
        // The worker that asks for the keys cannot renew a stale login.
        const [mayHaveVault] = await Promise.all([isLoggedIn(), entered()])
        const isMine = this.#isMine
        const stored = await this.secrets.stored(beam(), isMine)
        // It is kept with the keys now. Whoever logs in here next has not saved the beam.
        if (isMine) this.#isMine = false
        if (isSealed() && !stored.mayBeNewer) return { ...stored, isInVaults: false }
        return this.secrets.withdraw(beam(), mayHaveVault)
      },
      () => lookup === this.#lookups && !this.#hasEnded,
    )
  }

  /** Only where the worker says that this device deposits them: else the server could have them by saying that they are saved. */
  deposit({ deposits }: Having): void {
    if (!this.#isSaved || !deposits) {
      this.#areThere = Promise.resolve(true)
      return
    }
    this.#deposits += 1
    const deposit = this.#deposits
    const put = async () => {
      if (!(await this.events.isLoggedIn())) return null
      try {
        const deposited = await this.secrets.deposit(this.events.beam())
        if (deposited.went === 'not-yet') throw new Error('Nobody finds the keys.')
        return deposited
      } finally {
        this.events.onSent()
      }
    }
    // One after the other, so that the newest keys come last.
    const putting = this.#depositing.then(() =>
      untilTold(put, () => deposit === this.#deposits && !this.#hasEnded),
    )
    this.#depositing = putting
    this.#areThere = putting.then((deposited) => {
      if (deposited) return this.events.onDeposited(deposited)
      return deposit !== this.#deposits && this.#areThere
    })
  }

  /**
   * Resolves to whether the keys of now lie where they go, once that was tried. Of a beam that is saved it is asked, which this device may
   * not have heard yet.
   */
  async areThere(): Promise<boolean> {
    while (!this.#isSaved) await this.#savedNow.wait()
    await this.#looking
    return this.#areThere
  }

  /** Looks there for keys that this device does not know. Resolves to null where it takes none from there. */
  async withdraw(having: Having | null): Promise<Having | null> {
    if (!this.#isSaved || !having?.deposits) return null
    return this.secrets.withdraw(this.events.beam(), await this.events.isLoggedIn())
  }

  /** The beam was left. */
  end(): void {
    this.#hasEnded = true
  }
}
