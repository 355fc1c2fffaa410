/** Makes the vault of an account, and changes its password (E17). */
import { type Bytes, randomBytes, toBase64Url } from '../crypto/bytes'
import { entropyIn, keyOfWords, wordsOf } from '../crypto/recovery-words'
import { argon2id, type Hash, MEMORY_KIB, PASSES, SALT_BYTES, stretched } from '../crypto/stretching'
import { Vault } from '../crypto/vault'
import type { Vault as StoredVault } from '../protocol/bindings'
import type { VaultOutcome } from '../protocol/vaults'
import { isReset, Refused, readStretch, type VaultServer } from './vault-calls'
import type { VaultKeeper } from './vault-keeper'

const ENTROPY_BYTES = 16

/** A change that was sent. */
interface Sent {
  readonly vault: Vault
  /** The password that it replaces and the new one, as the person has typed them. */
  readonly typed: string
  readonly fresh: string
  /** What is sent of the new one. */
  readonly login: string
  readonly stored: StoredVault
}

export class VaultChanges {
  /** The passwords that were chosen for a vault here: what the server has answered says not whether they are that by now. */
  readonly #chosen = new Set<string>()
  /** A vault that is being made, until its words were written down. */
  #made: { readonly vault: Vault; readonly entropy: Bytes } | null = null
  /** The last change, of which the server has not said that it has refused it: its answer may be lost. */
  #sent: Sent | null = null

  constructor(
    readonly server: VaultServer,
    readonly keeper: VaultKeeper,
    readonly hash: Hash = argon2id,
  ) {
    keeper.onLoginEnd(() => {
      this.#chosen.clear()
      this.#made = null
      this.#sent = null
    })
  }

  /** Begins a vault. Returns its recovery words, which are told this once. */
  async beginVault(): Promise<readonly string[]> {
    this.#made = { vault: await Vault.make(), entropy: randomBytes(ENTROPY_BYTES) }
    return wordsOf(this.#made.entropy)
  }

  /**
   * Stores the vault that was begun, where there is none, or one of which the operator has replaced the password.
   * @param password as it was sent at login, @param fresh the new one
   */
  async createVault(password: string, fresh: string): Promise<VaultOutcome> {
    // This worker has taken the place of one, or the login has ended, while the words were written down.
    if (!this.#made)
      return this.#changing(password, fresh, async (there) => {
        return (await this.#mayBegin(there)) ? 'words-lost' : 'failed'
      })
    const { vault, entropy } = this.#made
    const by_words = await vault.wrapped(await keyOfWords(entropy), 'words')
    const outcome = await this.#changing(password, fresh, async (there) => {
      const refused = (await this.#mayBegin(there)) ? await this.#refused(password) : 'failed'
      return refused ?? this.#write(vault, { version: there?.version ?? 0, by_words }, { password, fresh })
    })
    if (outcome === 'done') this.#made = null
    return outcome
  }

  async #mayBegin(there: StoredVault | null): Promise<boolean> {
    // Another page may have set one up.
    await this.keeper.opened()
    return there ? isReset(there) : this.keeper.hasVault === false
  }

  /** Changes the password of an account that has a vault. @param password also one from the operator, where the vault is open here */
  async changePassword(password: string, fresh: string): Promise<VaultOutcome> {
    return this.#changing(password, fresh, async (stored) => {
      if (!stored) return 'failed'
      if (stored.by_password === null) return this.#sealAgain(stored, password, fresh)
      const { login, vault: key } = await stretched(password, readStretch(stored.stretch), this.hash)
      const vault = await Vault.unwrap(stored.by_password, key, 'password', stored.public_key)
      if (!vault) return 'wrong-password'
      return this.#write(vault, stored, { password: toBase64Url(login), typed: password, fresh })
    })
  }

  /** The operator has replaced the password, and this device has the vault open from before. */
  async #sealAgain(stored: StoredVault, password: string, fresh: string): Promise<VaultOutcome> {
    const vault = await this.keeper.opened()
    if (vault?.publicKey !== stored.public_key) return 'failed'
    const refused = await this.#refused(password)
    return refused ?? this.#write(vault, stored, { password, fresh })
  }

  /**
   * Opens the vault by its words, and seals it under a new password.
   * @param password what the operator has given. It is sent as it is, so never one that has opened the vault
   */
  async recoverVault(words: string, password: string, fresh: string): Promise<VaultOutcome> {
    return this.#changing(password, fresh, async (stored) => {
      const entropy = await entropyIn(words)
      if (!stored || !isReset(stored)) return 'failed'
      const refused = await this.#refused(password)
      if (refused) return refused
      const key = entropy && (await keyOfWords(entropy))
      const vault = key && (await Vault.unwrap(stored.by_words, key, 'words', stored.public_key))
      if (!vault) return 'wrong-words'
      return this.#write(vault, stored, { password, fresh })
    })
  }

  /**
   * Changes what the server stores.
   * @param change is given what that is now, unless it is the change before already
   */
  async #changing(
    typed: string,
    fresh: string,
    change: (there: StoredVault | null) => Promise<VaultOutcome>,
  ): Promise<VaultOutcome> {
    try {
      // What it finds must not take the place of what is written here.
      await this.keeper.entered
      const there = await this.server.read()
      return (await this.#goesOn(there, typed, fresh)) ?? (await change(there))
    } catch (error) {
      // The only wrong thing in what is sent is the password.
      return error instanceof Refused && error.status === 400 ? 'wrong-password' : 'failed'
    }
  }

  /** Returns null where the server has not taken the change before, or the person has typed another password than that one replaces. */
  async #goesOn(there: StoredVault | null, typed: string, fresh: string): Promise<VaultOutcome | null> {
    const sent = this.#sent
    if (!sent || !isStored(sent, there)) return null
    if (sent.fresh === fresh) return this.#done(sent.vault)
    // They have chosen another one since.
    return sent.typed === typed
      ? this.#write(sent.vault, sent.stored, { password: sent.login, typed, fresh })
      : null
  }

  /**
   * @param there what it takes the place of, @param password what is sent as the one of now, @param typed that one as it was typed, where it
   * is not sent so, @param fresh the new one
   */
  async #write(
    vault: Vault,
    { version, by_words }: Pick<StoredVault, 'version' | 'by_words'>,
    { password, typed = password, fresh }: { password: string; typed?: string; fresh: string },
  ): Promise<'done'> {
    this.#chosen.add(fresh.normalize('NFC'))
    const stretch = { salt: randomBytes(SALT_BYTES), memoryKib: MEMORY_KIB, passes: PASSES }
    const parts = await stretched(fresh, stretch, this.hash)
    const login = toBase64Url(parts.login)
    const stored: StoredVault = {
      version: version + 1,
      stretch: { salt: toBase64Url(stretch.salt), memory_kib: MEMORY_KIB, passes: PASSES },
      by_password: await vault.wrapped(parts.vault, 'password'),
      by_words,
      public_key: vault.publicKey,
    }
    await this.#send({ vault, typed, fresh, login, stored }, password)
    return this.#done(vault)
  }

  /** @throws when the server has not taken it, as far as it tells */
  async #send(change: Sent, password: string): Promise<void> {
    const { stored, login } = change
    this.#sent = change
    try {
      await this.server.write({ password, new_password: login, vault: stored })
    } catch (error) {
      const isRefused = error instanceof Refused && error.status < 500
      if (isRefused) this.#sent = null
      // Else only the answer may be lost.
      if (isRefused || !isStored(change, await this.server.read())) throw error
    }
  }

  async #done(vault: Vault): Promise<'done'> {
    this.#sent = null
    await this.keeper.stored(vault)
    return 'done'
  }

  /** Returns why a password is not sent as it was typed: one that opens a vault would be given away; null where it may be. */
  async #refused(password: string): Promise<'failed' | 'wrong-password' | null> {
    if (await this.keeper.hasStretched()) return 'failed'
    return this.#chosen.has(password.normalize('NFC')) ? 'wrong-password' : null
  }
}

/** Nothing else is sealed alike. */
function isStored({ stored }: Sent, there: StoredVault | null): boolean {
  return there?.by_password === stored.by_password
}
