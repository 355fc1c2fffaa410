/**
 * The vault of the person who is logged in (E17), in the worker that has the keys: opened with the login, and kept on this device while
 * that lasts. What is in it: `keys-in-vault`; how it is made and changed: `vault-changes`.
 */
import { type Bytes, toBase64Url } from '../crypto/bytes'
import { argon2id, type Hash, stretched } from '../crypto/stretching'
import { fingerprintOf, Vault } from '../crypto/vault'
import type { Vault as StoredVault, Stretch as ToldStretch } from '../protocol/bindings'
import { isSameUsername } from '../protocol/usernames'
import type { VaultState } from '../protocol/vaults'
import { isReset, readStretch, type VaultServer } from './vault-calls'
import type { KeptVaults } from './vault-store'

/** So long after the browser has refused to remove what it keeps of a login that has ended, it is told to again. In milliseconds. */
const CLEARS_AGAIN_MS = 60_000

export class VaultKeeper {
  #username: string | null = null
  #vault: Vault | null = null
  #hasVault: boolean | null = null
  /** The part of the last password that was stretched here which opens the vault, if it is the right one. */
  #proved: Bytes | null = null
  /** That of the password by which the person has logged in, until the vault is open. */
  #opener: Bytes | null = null
  /** Whether the login of now is by a password of which the server has only a part; null where this page has not seen it. */
  #isStretched: boolean | null = null
  /** The account to which the person has logged in here by a password that was sent as it was typed; null where they have not. */
  #typedBy: string | null = null
  /** Whether the server has not told of the vault since the login: what is kept may be of the one before. */
  #isNew = false
  /** The vault of who was logged in before, as long as it is not known whether that is the same person, who has another username now. */
  #before: { readonly vault: Vault | null } | null = null
  /** Ends with the latest change of what this device keeps. It never fails. */
  #keeping: Promise<void> = Promise.resolve()
  #entered: Promise<unknown> = Promise.resolve()
  /** What else is known of a login, and ends with it. */
  readonly #onEnd: (() => void)[] = []

  constructor(
    readonly server: VaultServer,
    readonly kept: KeptVaults,
    readonly hash: Hash = argon2id,
  ) {}

  /** Nothing of a login that has ended may be used in the next one. @param forget called at its end */
  onLoginEnd(forget: () => void): void {
    this.#onEnd.push(forget)
  }

  /** Null where nobody has said yet who is logged in. */
  get username(): string | null {
    return this.#username
  }

  /** Whether the account has a vault, as far as this device knows; null where the server has not told. */
  get hasVault(): boolean | null {
    return this.#hasVault
  }

  /** Settles once it is known whether the vault is open. */
  get entered(): Promise<unknown> {
    return this.#entered
  }

  /** Returns what is sent as the password. What opens the vault is used once the server has taken it. @throws when the server asks for too little */
  async prove(password: string, stretch: ToldStretch): Promise<string> {
    const { login, vault } = await stretched(password, readStretch(stretch), this.hash)
    this.#proved = vault
    return toBase64Url(login)
  }

  /** The person is logged in by the password that was stretched last: from now on a later page can open the vault too, if this one is left. */
  async keepOpener(): Promise<void> {
    const opener = this.#proved
    this.#typedBy = null
    this.#opener = opener
    this.#isNew = true
    await this.#keepStretched(true)
    if (opener) await this.#keep(() => this.kept.writeOpener(opener))
  }

  /** The server has taken the password of an account as it was typed: it may be sent again, and opens nothing. */
  async loggedInAsTyped(username: string): Promise<void> {
    this.#typedBy = username
    this.#opener = null
    this.#isNew = true
    this.#loginEnds()
    await Promise.all([this.#keepStretched(false), this.#keep(() => this.kept.removeOpener())])
  }

  /**
   * Somebody is logged in: opens the vault with what this device has kept, or with the password of the login.
   * @param isKnown whether this device knows that the account has a vault, whatever the server says. It is `none` all the same where the
   * login is by a password that was sent as it was typed, and the server says so right after it
   */
  enterVault(username: string, isKnown: boolean): Promise<VaultState> {
    const entering = this.#enter(username, isKnown)
    this.#entered = entering.catch(() => {})
    return entering
  }

  async #enter(username: string, isKnown: boolean): Promise<VaultState> {
    if (this.#username !== null && this.#username !== username) {
      this.#before = { vault: this.#vault }
      ;[this.#vault, this.#opener] = [null, null]
    }
    const before = this.#before ? this.#before.vault : this.#vault
    this.#username = username
    this.#hasVault = null
    await this.#keeping
    const { opener, here, renamed } = await this.#readKept(username)
    const stored = await this.server.read().catch(() => undefined)
    const vault = stored ? await unlocked(stored, [here, before, renamed], opener) : here
    // The login has ended meanwhile, or is another one.
    if (this.#username !== username) return { is: 'unknown' }
    const isRenamed = vault !== null && vault.publicKey === before?.publicKey
    if (this.#before && !isRenamed) this.#personChanged()
    this.#before = null
    await this.#learn(stored, vault, isKnown)
    return this.#state(stored ?? null)
  }

  /** Another page has logged somebody else in: what this device keeps is theirs by now, and this page knows nothing of that login. */
  #personChanged(): void {
    this.#isStretched = null
    this.#loginEnds()
  }

  /** Returns the vault that this device has opened before, and what opens it else. */
  async #readKept(
    username: string,
  ): Promise<{ opener: Bytes | null; here: Vault | null; renamed: Vault | null }> {
    // In this order: another page keeps the opened vault before it removes what has opened it.
    const opener = this.#opener ?? (await this.kept.readOpener())
    if (opener) this.#isNew = true
    const secret = await this.kept.read(username)
    const here = secret ? await Vault.of(secret) : this.#vault
    if (here || this.#isNew) return { opener, here, renamed: null }
    // As long as the login lasts, what is kept under another name is the same person's, who has changed it on another device.
    const other = await this.kept.read(null)
    return { opener, here, renamed: other && (await Vault.of(other)) }
  }

  /** @param vault the one of the server, or where that does not tell of any, the one that is kept here */
  async #learn(stored: StoredVault | null | undefined, vault: Vault | null, isKnown: boolean): Promise<void> {
    if (stored === undefined && this.#isNew) {
      // What is kept is of an earlier login, where that has ended while no page was open, and the vault may be another one by now.
      this.#vault = null
      return
    }
    // Of an account that was made anew under the same name, the person has said that the server may have its password.
    const isFirst = this.#isNew
    this.#isNew = false
    if (stored === null && isFirst && this.#isTypedByItsPerson()) return this.#forget()
    this.#hasVault = vault !== null || isThere(stored, isKnown)
    // What the server does not tell of is here already.
    if (stored) await this.#open(vault)
    else this.#vault = vault
    if (stored === null || (stored && vault)) await this.#forgetOpener()
    // What the login has not opened is another person's, who was logged in before.
    if (isFirst && !vault) await this.#keep(() => this.kept.remove())
  }

  /** The server may say that the login is to another account than the person has named. */
  #isTypedByItsPerson(): boolean {
    return this.#typedBy !== null && isSameUsername(this.#typedBy, this.#username ?? '')
  }

  /** The account has no vault. */
  async #forget(): Promise<void> {
    this.#vault = null
    this.#hasVault = false
    await this.#keep(() => this.kept.clear()).catch(() => {})
  }

  /**
   * Nobody is logged in any more: nothing of the vault stays on this device. Where the browser refuses that, it is tried again until the next
   * login, by a later page too that finds nobody logged in.
   */
  async leaveVault(): Promise<void> {
    this.#username = null
    this.#before = null
    this.#typedBy = null
    this.#vault = null
    this.#proved = null
    this.#opener = null
    this.#isStretched = null
    this.#isNew = false
    this.#hasVault = null
    this.#loginEnds()
    await this.#clear()
  }

  async #clear(): Promise<void> {
    const again = () => {
      const isNobodyIn = this.#username === null && !this.#isNew
      if (isNobodyIn) void this.#clear()
    }
    await this.#keep(() => this.kept.clear()).catch(() => setTimeout(again, CLEARS_AGAIN_MS))
  }

  /** Returns the vault, once it is known whether it is open. Another page of the browser may have made or opened it since. */
  async opened(): Promise<Vault | null> {
    await this.#entered
    const username = this.#username
    if (this.#vault || this.#hasVault || this.#isNew || username === null) return this.#vault
    const secret = await this.kept.read(username).catch(() => null)
    const vault = secret && (await Vault.of(secret))
    if (vault && this.#username === username && !this.#hasVault) {
      this.#vault = vault
      this.#hasVault = true
    }
    return this.#vault
  }

  /** The server has this vault now. Where the browser keeps nothing, it is open as long as the page. */
  async stored(vault: Vault): Promise<void> {
    if (this.#username === null) return
    await Promise.all([this.#keepStretched(true), this.#open(vault)]).catch(() => {})
  }

  #loginEnds(): void {
    for (const forget of this.#onEnd) forget()
  }

  /** Does nothing where nobody is logged in any more. */
  async #open(vault: Vault | null): Promise<void> {
    const username = this.#username
    if (username === null) return
    this.#vault = vault
    if (!vault) return
    this.#hasVault = true
    await this.#keep(() => this.kept.write(username, vault.secret))
  }

  /**
   * Whether the login of now is by a password of which the server has only a part. It is the person's own: a server that says later that
   * the operator has replaced it, or that there is no vault, is not believed.
   */
  async hasStretched(): Promise<boolean> {
    await this.#keeping
    // Where the browser does not tell, it may be of an earlier page.
    return this.#isStretched || this.kept.isStretched().catch(() => this.#isStretched === null)
  }

  #keepStretched(isStretched: boolean): Promise<void> {
    this.#isStretched = isStretched
    return this.#keep(() => this.kept.writeStretched(isStretched))
  }

  async #forgetOpener(): Promise<void> {
    this.#opener = null
    await this.#keep(() => this.kept.removeOpener())
  }

  /** What is asked for first is done first: what was kept for a login goes with its end, and that of the next one stays. */
  #keep(change: () => Promise<void>): Promise<void> {
    const kept = this.#keeping.then(change)
    this.#keeping = kept.catch(() => {})
    return kept
  }

  async #state(stored: StoredVault | null): Promise<VaultState> {
    if (this.#vault) return { is: 'open', fingerprint: await fingerprintOf(this.#vault.publicKey) }
    if (this.#hasVault === null) return { is: 'unknown' }
    if (!this.#hasVault) return { is: 'none' }
    return { is: 'locked', needsWords: stored !== null && isReset(stored) && !(await this.hasStretched()) }
  }
}

/** Null where the server does not tell. One that denies a vault which this device knows is not believed. */
function isThere(stored: StoredVault | null | undefined, isKnown: boolean): boolean | null {
  return stored === undefined ? null : isKnown || stored !== null
}

/** Returns the vault that the server stores: one of those that are open here, or what the password opens. */
async function unlocked(
  { public_key, by_password }: StoredVault,
  here: readonly (Vault | null)[],
  opener: Bytes | null,
): Promise<Vault | null> {
  const open = here.find((vault) => vault?.publicKey === public_key)
  if (open) return open
  return opener && by_password !== null ? Vault.unwrap(by_password, opener, 'password', public_key) : null
}
