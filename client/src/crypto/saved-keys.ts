/** Where the keys of a saved beam may be, as one device knows it: with the server as they are (E9), or in vaults (E18). */
import {
  type DepositReason,
  type KeptShared,
  laterReason,
  type Move,
  type SharedKeys,
  type VaultTag,
} from './shared-keys'

type Told = Pick<SharedKeys, 'isDeposited' | 'isVaulted'> & Pick<KeptShared, 'isExposed'>
type Kept = Told & Pick<KeptShared, 'isStored' | 'depositReason' | 'savedBy' | 'inVault' | 'ends' | 'move'>

/** Keys as they go to whoever may open a saved beam, as base64url. */
export type SavedShared = Pick<SharedKeys, 'keys' | 'current' | 'isDeposited'>

export class SavedKeys {
  /** Whether the server has them, as this device knows by itself or was told. */
  #isDeposited = false
  #isVaulted = false
  #isExposed = false
  /** Whether the server says that it stores the beam. */
  #isStored = false
  #reason: DepositReason = 'none'
  /** The account of whoever has saved the beam at this device, where that is known. */
  #savedBy: string | null = null
  #isForOwnVault = false
  #inVault: VaultTag | null = null
  readonly #ends = new Set<string>()
  #move: Move | null = null

  /** Whether the server may have the keys. */
  get isDeposited(): boolean {
    return this.#isDeposited || (this.#isStored && !this.#isVaulted)
  }

  /** Whether they were deposited, as far as this device knows. Of a saved beam it may only not have heard that they are in vaults. */
  get wereDeposited(): boolean {
    return this.#isDeposited
  }

  /** Whether they are in vaults: they are deposited in no other way then. */
  get isVaulted(): boolean {
    return this.#isVaulted
  }

  /** Whether the server may have the key that seals. In a vault it would protect nothing: it is changed before. */
  get isExposed(): boolean {
    return this.#isExposed || (this.#isStored && !this.#isVaulted)
  }

  /** Whether a person has saved the beam at this device; where it is not known who has, it may be anybody. */
  isSavedBy(person: string | null): boolean {
    return this.#reason === 'saved' && (this.#savedBy === null || this.#savedBy === person)
  }

  /**
   * Whether this device may give the keys to the server as they are. Else the server could have them by saying that somebody has saved the
   * beam, or say which keys count.
   */
  get maySend(): boolean {
    return this.#reason === 'saved' || this.#reason === 'withdrawn'
  }

  /** Whether this device keeps the server's copy of the keys up to date. Into a vault of its person it may always seal them. */
  get deposits(): boolean {
    return this.#isForOwnVault || this.maySend
  }

  /**
   * Returns what names the beam in the vault of the person at this device; null before that is known.
   * @param vault its public key
   */
  tagIn(vault: string): string | null {
    return this.#inVault?.vault === vault ? this.#inVault.tag : null
  }

  /** What names the beam in a vault; null before that is known. */
  get inVault(): VaultTag | null {
    return this.#inVault
  }

  /** The ends of shares that this device knows of: what was sealed without knowing them names nobody who counts. */
  get ends(): readonly string[] {
    return [...this.#ends]
  }

  /** Returns the id of the key that the server may have and that this one replaced here, to go into vaults; null where it did not. */
  movedFrom(key: string): string | null {
    return this.#move?.to === key ? this.#move.from : null
  }

  /** What a device that joins is told. */
  get told(): Pick<SharedKeys, 'isDeposited' | 'isVaulted'> {
    return { isDeposited: this.isDeposited, ...(this.#isVaulted && { isVaulted: true }) }
  }

  /** What is kept for a later page. */
  get kept(): Kept {
    const { told } = this
    return {
      ...told,
      isDeposited: this.#isDeposited,
      isStored: this.#isStored,
      isExposed: this.#isExposed,
      depositReason: this.#reason,
      ...(this.#savedBy !== null && { savedBy: this.#savedBy }),
      ...(this.#inVault && { inVault: this.#inVault }),
      ...(this.#ends.size > 0 && { ends: this.ends }),
      ...(this.#move && { move: this.#move }),
    }
  }

  /** Takes what an earlier page has kept. Whether the key that seals is exposed is learnt with that key. */
  restore({
    isDeposited,
    isVaulted = false,
    isStored = false,
    depositReason,
    savedBy,
    inVault,
    ends = [],
    move,
  }: Kept): void {
    this.#isDeposited ||= isDeposited
    this.#isVaulted ||= isVaulted
    this.#isStored ||= isStored
    this.#inVault ??= inVault ?? null
    this.haveEnded(ends)
    this.#move ??= move ?? null
    this.#savedBy ??= savedBy ?? null
    this.because(depositReason)
  }

  /**
   * The server stores the beam: from now on it may have the keys, unless they are in vaults.
   * @param isMine whether the person here has saved it, @param person their account, where that is known
   */
  stored(isMine: boolean, person: string | null = null): void {
    this.#isStored = true
    if (!isMine) return
    this.because('saved')
    this.#savedBy = person
  }

  /** It is known whether the keys go into the vault of the person at this device, whatever the server says. */
  forOwnVault(isSo: boolean): void {
    this.#isForOwnVault = isSo
    // What was saved just now, and never deposited, is for the vault from the start.
    if (isSo && this.#reason === 'saved' && !this.#isDeposited) this.#isVaulted = true
  }

  /**
   * The key that seals took the place of another one. Whoever is handed it hears with it that it is for vaults, and deposits it nowhere.
   * @param from the id of the key of before; null where there was none
   */
  changed(from: string | null, to: string): void {
    if (this.#isForOwnVault && this.isExposed && from !== null) this.#move = { from, to }
    this.#isExposed = false
    this.#isVaulted ||= this.#isForOwnVault
  }

  /** The keys lie in the person's vault. @param named what names the beam there; null where that is not sure */
  areInVault(named: VaultTag | null): void {
    this.#isVaulted = true
    if (named && this.tagIn(named.vault) === null) this.#inVault = named
  }

  /** These shares have ended. */
  haveEnded(ends: readonly string[]): void {
    for (const end of ends) this.#ends.add(end)
  }

  /** The server has the keys as they are. */
  areDeposited(): void {
    this.#isDeposited = true
    this.#isExposed = true
  }

  /**
   * Another device that is in says that they were deposited. Who has heard that they are in vaults was told with that whether the server has
   * them. Returns whether it is news.
   */
  hears(wereDeposited: boolean): boolean {
    if (!wereDeposited || this.#isDeposited || this.#isVaulted) return false
    this.areDeposited()
    return true
  }

  /**
   * Takes what is told with keys. Who does not know of the vaults takes every saved beam for one whose keys the server has.
   * @param isTrusted whether all of it counts: that the server does not have the keys is believed of nobody else
   * @param isNewer whether the key that seals comes with it
   */
  learn({ isDeposited, isVaulted = false, isExposed }: Told, isTrusted: boolean, isNewer: boolean): void {
    this.#isDeposited ||= isDeposited && (isVaulted || !this.#isVaulted)
    this.#isVaulted ||= isTrusted && isVaulted
    if (isNewer) this.#isExposed = isExposed ?? (isDeposited && !isVaulted)
  }

  because(reason: DepositReason): void {
    this.#reason = laterReason(this.#reason, reason)
  }
}
