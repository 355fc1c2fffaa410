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

export class VaultChanges {
  /** The passwords that were chosen for a vault here: what the server has answered says not whether they are that by now. */
  readonly #chosen = new Set<string>()
  /** A vault that is being made, until its words were written down. */
  #made: { readonly vault: Vault; readonly entropy: Bytes } | null = null

  constructor(
    readonly server: VaultServer,
    readonly keeper: VaultKeeper,
    readonly hash: Hash = argon2id,
  ) {
    keeper.onLoginEnd(() => {
      this.#chosen.clear()
      this.#made = null
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
    if (!this.#made) return 'failed'
    const { vault, entropy } = this.#made
    const byWords = await vault.wrapped(await keyOfWords(entropy), 'words')
    const isStored = (there: StoredVault | null) => there?.public_key === vault.publicKey
    const outcome = await this.#answering(async () => {
      const there = await this.server.read()
      // The answer to an earlier try was lost.
      if (isStored(there)) return this.#done(vault)
      const refused = (await this.#mayBegin(there)) ? await this.#refused(password) : 'failed'
      if (refused) return refused
      const sent = await this.#write(vault, byWords, (there?.version ?? 0) + 1, password, fresh)
      if (sent !== 'failed') return sent
      return isStored(await this.server.read()) ? this.#done(vault) : 'failed'
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
    return this.#answering(async () => {
      const stored = await this.server.read()
      if (!stored) return 'failed'
      if (stored.by_password === null) return this.#sealAgain(stored, password, fresh)
      const { login, vault: key } = await stretched(password, readStretch(stored.stretch), this.hash)
      const vault = await Vault.unwrap(stored.by_password, key, 'password', stored.public_key)
      if (!vault) return 'wrong-password'
      return this.#write(vault, stored.by_words, stored.version + 1, toBase64Url(login), fresh)
    })
  }

  /** The operator has replaced the password, and this device has the vault open from before. */
  async #sealAgain(stored: StoredVault, password: string, fresh: string): Promise<VaultOutcome> {
    const vault = await this.keeper.opened()
    if (vault?.publicKey !== stored.public_key) return 'failed'
    const refused = await this.#refused(password)
    return refused ?? this.#write(vault, stored.by_words, stored.version + 1, password, fresh)
  }

  /**
   * Opens the vault by its words, and seals it under a new password.
   * @param password what the operator has given. It is sent as it is, so never one that has opened the vault
   */
  async recoverVault(words: string, password: string, fresh: string): Promise<VaultOutcome> {
    return this.#answering(async () => {
      const [stored, entropy] = await Promise.all([this.server.read(), entropyIn(words)])
      if (!stored || !isReset(stored)) return 'failed'
      const refused = await this.#refused(password)
      if (refused) return refused
      const key = entropy && (await keyOfWords(entropy))
      const vault = key && (await Vault.unwrap(stored.by_words, key, 'words', stored.public_key))
      if (!vault) return 'wrong-words'
      return this.#write(vault, stored.by_words, stored.version + 1, password, fresh)
    })
  }

  async #write(
    vault: Vault,
    byWords: string,
    version: number,
    password: string,
    fresh: string,
  ): Promise<VaultOutcome> {
    this.#chosen.add(fresh.normalize('NFC'))
    return this.#answering(async () => {
      const stretch = { salt: randomBytes(SALT_BYTES), memoryKib: MEMORY_KIB, passes: PASSES }
      const { login, vault: key } = await stretched(fresh, stretch, this.hash)
      const stored: StoredVault = {
        version,
        stretch: { salt: toBase64Url(stretch.salt), memory_kib: MEMORY_KIB, passes: PASSES },
        by_password: await vault.wrapped(key, 'password'),
        by_words: byWords,
        public_key: vault.publicKey,
      }
      await this.server.write({ password, new_password: toBase64Url(login), vault: stored })
      return this.#done(vault)
    })
  }

  /** The only wrong thing in what is sent is the password. */
  async #answering(act: () => Promise<VaultOutcome>): Promise<VaultOutcome> {
    try {
      // What it finds must not take the place of what is written here.
      await this.keeper.entered
      return await act()
    } catch (error) {
      return error instanceof Refused && error.status === 400 ? 'wrong-password' : 'failed'
    }
  }

  async #done(vault: Vault): Promise<'done'> {
    await this.keeper.stored(vault)
    return 'done'
  }

  /** Returns why a password is not sent as it was typed: one that opens a vault would be given away; null where it may be. */
  async #refused(password: string): Promise<'failed' | 'wrong-password' | null> {
    if (await this.keeper.hasStretched()) return 'failed'
    return this.#chosen.has(password.normalize('NFC')) ? 'wrong-password' : null
  }
}
