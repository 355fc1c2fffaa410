/** Where the keys of a saved beam may be, as one device knows it: with the server as they are (E9), or in vaults (E18). */
import { type DepositReason, type KeptShared, laterReason, type SharedKeys } from './shared-keys'

type Told = Pick<SharedKeys, 'isDeposited' | 'isVaulted'>
type Kept = Pick<KeptShared, 'isDeposited' | 'isVaulted' | 'isStored' | 'depositReason'>

/** Keys as they go to whoever may open a saved beam, as base64url. */
export type SavedShared = Pick<SharedKeys, 'keys' | 'current' | 'isDeposited'>

/** Those that lay in the vault of the person at this device. */
export interface OpenedKeys extends SavedShared {
  /** Whether that person has sealed them: then they need no other proof. */
  readonly isOwn: boolean
}

export class SavedKeys {
  /** Whether the server has them, as this device knows by itself or was told. */
  #isDeposited = false
  #isVaulted = false
  /** Whether the server says that it stores the beam. */
  #isStored = false
  #reason: DepositReason = 'none'

  /** Whether the server may have the keys. */
  get isDeposited(): boolean {
    return this.#isDeposited || (this.#isStored && !this.#isVaulted)
  }

  /** Whether they are in vaults: they are deposited in no other way then. */
  get isVaulted(): boolean {
    return this.#isVaulted
  }

  /**
   * Whether this device deposits the keys. Else the server could have them by saying that somebody has saved the beam, or say which keys
   * count.
   */
  get deposits(): boolean {
    return this.#reason === 'saved' || this.#reason === 'withdrawn'
  }

  /** What a device that joins is told. */
  get told(): Told {
    return { isDeposited: this.isDeposited, ...(this.#isVaulted && { isVaulted: true }) }
  }

  /** What is kept for a later page. */
  get kept(): Kept {
    const { told } = this
    const depositReason = this.#reason
    return { ...told, isDeposited: this.#isDeposited, isStored: this.#isStored, depositReason }
  }

  /** Takes what an earlier page has kept. */
  restore({ isDeposited, isVaulted = false, isStored = false, depositReason }: Kept): void {
    this.#isDeposited ||= isDeposited
    this.#isVaulted ||= isVaulted
    this.#isStored ||= isStored
    this.because(depositReason)
  }

  /**
   * The server stores the beam: from now on it may have the keys, unless they are in vaults.
   * @param isMine whether the person at this device has saved it
   * @param inVault whether that person has a vault
   */
  stored(isMine: boolean, inVault: boolean): void {
    this.#isStored = true
    this.#isVaulted ||= isMine && inVault
    if (isMine) this.because('saved')
  }

  /** The keys went to the server: into vaults, which it cannot open, or as they are. */
  wentTo(where: 'vaults' | 'server'): void {
    if (where === 'vaults') this.#isVaulted = true
    else this.#isDeposited = true
  }

  /**
   * Takes what is told with keys. Who does not know of the vaults takes every saved beam for one whose keys the server has.
   * @param isTrusted whether all of it counts: that the server does not have the keys is believed of nobody else
   */
  learn({ isDeposited, isVaulted = false }: Told, isTrusted: boolean): void {
    this.#isDeposited ||= isDeposited && (isVaulted || !this.#isVaulted)
    this.#isVaulted ||= isTrusted && isVaulted
  }

  because(reason: DepositReason): void {
    this.#reason = laterReason(this.#reason, reason)
  }
}
