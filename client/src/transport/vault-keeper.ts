/**
 * The vault of the person who is logged in (E17), in the worker that has the keys: opened by a password or by the recovery words, kept
 * on this device while the login lasts, and used wherever keys of saved beams are deposited.
 */
import { type Bytes, fromBase64Url, randomBytes, toBase64Url } from '../crypto/bytes'
import { entropyIn, keyOfWords, wordsOf } from '../crypto/recovery-words'
import {
  argon2id,
  type Hash,
  MEMORY_KIB,
  PASSES,
  SALT_BYTES,
  type Stretch,
  stretched,
} from '../crypto/stretching'
import { fingerprintOf, Vault } from '../crypto/vault'
import type {
  BeamId,
  BeamVault,
  SealedKeys,
  Vault as StoredVault,
  Stretch as ToldStretch,
} from '../protocol/bindings'
import type { HowKept, PersonKeys, VaultOutcome, VaultState } from '../protocol/vaults'
import { hasNothing } from './key-deposits'
import { type KeysWent, type KnownPlace, type OwnVault, placeWithoutVault, type Vaulted } from './own-vault'
import { sealedToVaults } from './sealing-to-vaults'
import { Refused, type VaultServer } from './vault-calls'

const ENTROPY_BYTES = 16
/** So often keys are sealed again that other devices have changed meanwhile. */
const MOST_TRIES = 3
const CONFLICT = 409

/** Where an opened vault outlives the page, and until it is open, what opens it. */
export interface KeptVaults {
  /** Returns the secret of an opened vault. @param username null for whoever's it is */
  read(username: string | null): Promise<Bytes | null>
  write(username: string, secret: Bytes): Promise<void>
  /** Removes the secret. */
  remove(): Promise<void>
  /** Returns the part of a password that opens the vault of whoever has logged in with it. */
  readOpener(): Promise<Bytes | null>
  writeOpener(opener: Bytes): Promise<void>
  removeOpener(): Promise<void>
  /** Returns whether whoever is logged in has sent only a part of a password. */
  isStretched(): Promise<boolean>
  writeStretched(isStretched: boolean): Promise<void>
  /** Removes all of it. */
  clear(): Promise<void>
}

type Person = BeamVault['people'][number]
type Merging = Parameters<OwnVault['write']>[2]

export class VaultKeeper implements OwnVault {
  #username: string | null = null
  #vault: Vault | null = null
  /** Whether the account has a vault, as far as this device knows; null where the server has not told. */
  #exists: boolean | null = null
  /** The part of the last password that was stretched here which opens the vault, if it is the right one. */
  #proved: Bytes | null = null
  /** That of the password by which the person has logged in, until the vault is open. */
  #opener: Bytes | null = null
  /** Whether the login of now is by a password of which the server has only a part; null where this page has not seen it. */
  #isStretched: boolean | null = null
  /** The passwords that were chosen for a vault here: what the server has answered says not whether they are that by now. */
  readonly #chosen = new Set<string>()
  /** Whether the server has not told of the vault since the login: what is kept may be of the one before. */
  #isNew = false
  /** Ends with the latest change of what this device keeps. It never fails. */
  #keeping: Promise<void> = Promise.resolve()
  /** Settles once it is known whether the vault is open. */
  #entered: Promise<unknown> = Promise.resolve()
  /** The beams that are this person's own, as the page lists them. */
  #own: ReadonlySet<BeamId> = new Set()
  /** The public keys of the people whom this page lets open a beam. */
  readonly #trusted = new Map<BeamId, readonly string[]>()
  /** A vault that is being made, until its words were written down. */
  #made: { readonly vault: Vault; readonly entropy: Bytes } | null = null

  constructor(
    readonly server: VaultServer,
    readonly kept: KeptVaults,
    readonly hash: Hash = argon2id,
  ) {}

  /** Returns what is sent as the password. What opens the vault is used once the server has taken it. @throws when the server asks for too little */
  async prove(password: string, stretch: ToldStretch): Promise<string> {
    const { login, vault } = await stretched(password, readStretch(stretch), this.hash)
    this.#proved = vault
    return toBase64Url(login)
  }

  /** The person is logged in by the password that was stretched last: from now on a later page can open the vault too, if this one is left. */
  async keepOpener(): Promise<void> {
    const opener = this.#proved
    this.#opener = opener
    this.#isNew = true
    await this.#keepStretched(true)
    if (opener) await this.#keep(() => this.kept.writeOpener(opener))
  }

  /** The server has taken a password as it was typed: it may be sent again, and opens nothing. */
  async loggedInAsTyped(): Promise<void> {
    this.#opener = null
    this.#isNew = true
    this.#chosen.clear()
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
    const before = this.#vault
    if (this.#username !== username) this.#vault = null
    this.#username = username
    this.#exists = null
    await this.#keeping
    const { opener, here, renamed } = await this.#readKept(username)
    const stored = await this.server.read().catch(() => undefined)
    const vault = stored ? await unlocked(stored, [here, before, renamed], opener) : here
    // The login has ended meanwhile, or is another one.
    if (this.#username !== username) return { is: 'unknown' }
    await this.#learn(stored, vault, isKnown)
    return this.#state(stored ?? null)
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
    if (stored === null && isFirst && this.#isStretched === false) return this.#forget()
    this.#exists = vault !== null || isThere(stored, isKnown)
    // What the server does not tell of is here already.
    if (stored) await this.#open(vault)
    else this.#vault = vault
    if (stored === null || (stored && vault)) await this.#forgetOpener()
    // What the login has not opened is another person's, who was logged in before.
    if (isFirst && !vault) await this.#keep(() => this.kept.remove())
  }

  /** The account has no vault. */
  async #forget(): Promise<void> {
    this.#vault = null
    this.#exists = false
    await this.#keep(() => this.kept.clear())
  }

  /** Nobody is logged in any more: nothing of the vault stays on this device. */
  async leaveVault(): Promise<void> {
    this.#username = null
    this.#vault = null
    this.#proved = null
    this.#opener = null
    this.#isStretched = null
    this.#isNew = false
    this.#exists = null
    this.#own = new Set()
    this.#trusted.clear()
    this.#chosen.clear()
    this.#made = null
    await this.#keep(() => this.kept.clear())
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
    await this.#opened()
    return there ? isReset(there) : this.#exists === false
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
    const vault = await this.#opened()
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

  /** Returns the other people with access to a beam of this person; nobody for a beam of others. @throws when the server refuses */
  async peopleOf(beam: BeamId): Promise<readonly PersonKeys[]> {
    await this.#entered
    const there = await this.server.readKeys(beam)
    const trusted = await this.#peopleIn(there)
    const isOwn = this.#vault ? isOwnOf(this.#vault) : ({ username }: Person) => username === this.#username
    const others = there.people.filter((person) => !isOwn(person))
    return Promise.all(
      others.map(async ({ username, public_key }) => ({
        username,
        fingerprint: public_key === null ? null : await fingerprintOf(public_key),
        hasKeys: public_key !== null && trusted.includes(public_key),
      })),
    )
  }

  /**
   * The person at this device lets somebody open a beam: the next time its keys are written, they are sealed to that vault too. Does
   * nothing, and resolves to false, where it has another fingerprint than the one that was shown.
   */
  async trust(beam: BeamId, username: string, fingerprint: string): Promise<boolean> {
    const { people } = await this.server.readKeys(beam)
    const key = people.find((person) => person.username === username)?.public_key
    if (!key || (await fingerprintOf(key)) !== fingerprint) return false
    this.#trusted.set(beam, [...(this.#trusted.get(beam) ?? []), key])
    return true
  }

  /** The public keys of those to whom the keys of a beam were handed, by this account alone: the server could name others. */
  async #peopleIn({ keys }: BeamVault): Promise<readonly string[]> {
    const entry = keys && (await this.#vault?.openOwn(keys))
    return entry?.people ?? []
  }

  /**
   * The page lists these beams as the person's own. Of those the server cannot say that they are another account's, whose keys it could
   * make up, or who has no vault.
   */
  async ownBeams(beams: readonly BeamId[]): Promise<void> {
    this.#own = new Set([...this.#own, ...beams])
  }

  /**
   * Returns how the keys of this person's saved beams are kept: readable by the server, sealed to vaults, sealed since the server could
   * read them, or sealed so that the vault does not open them. A beam of which nothing is kept is not among them.
   */
  async howKept(): Promise<Readonly<Record<BeamId, HowKept>>> {
    await this.#entered
    const beams = await this.server.listKeys()
    const told = beams.map(async ({ beam_id, keys }) => {
      if (!keys) return [beam_id, 'readable'] as const
      // The server's word that they are sealed counts nothing, and neither does what it has sealed itself.
      const isOwn = this.#own.has(beam_id)
      const opened = isOwn ? await this.#vault?.openOwn(keys) : await this.#vault?.open(keys)
      if (!opened) return isOwn && this.#vault ? ([beam_id, 'not-in-vault'] as const) : null
      return [beam_id, opened.isDeposited ? 'sealed-since' : 'sealed'] as const
    })
    return Object.fromEntries((await Promise.all(told)).filter((one) => one !== null))
  }

  async isOpen(): Promise<boolean> {
    return (await this.#opened()) !== null
  }

  async isFor(beam: BeamId, isMine: boolean): Promise<boolean> {
    return (isMine || this.#own.has(beam)) && (await this.isOpen())
  }

  async read(beam: BeamId, isMine: boolean): Promise<Vaulted | null> {
    const vault = await this.#opened()
    const sealed = vault && (await this.#keysOf(beam))
    if (!sealed) return null
    const entry = await vault.openOwn(sealed)
    if (entry) return { is: 'own', entry, vault: vault.publicKey }
    if (isMine || this.#own.has(beam)) return null
    const keys = await vault.open(sealed)
    return keys && { is: 'handed', keys }
  }

  /** Returns the vault, once it is known whether it is open. Another page of the browser may have made or opened it since. */
  async #opened(): Promise<Vault | null> {
    await this.#entered
    const username = this.#username
    if (this.#vault || this.#exists || this.#isNew || username === null) return this.#vault
    const secret = await this.kept.read(username).catch(() => null)
    const vault = secret && (await Vault.of(secret))
    if (vault && this.#username === username && !this.#exists) {
      this.#vault = vault
      this.#exists = true
    }
    return this.#vault
  }

  async #keysOf(beam: BeamId): Promise<SealedKeys | null> {
    try {
      return (await this.server.readKeys(beam)).keys
    } catch (error) {
      if (error instanceof Refused && hasNothing(error.status)) return null
      throw error
    }
  }

  async write(beam: BeamId, known: KnownPlace, merged: Merging): Promise<KeysWent> {
    const vault = await this.#opened()
    if (vault) return this.#writeOpen(vault, beam, known, merged)
    // Keys that have gone to the server as they are cannot be taken back.
    if (this.#exists === null) throw new Error('It is not known whether there is a vault.')
    return this.#exists ? { go: 'nowhere' } : placeWithoutVault(known)
  }

  async #writeOpen(vault: Vault, beam: BeamId, known: KnownPlace, merged: Merging): Promise<KeysWent> {
    for (let tries = 1; ; tries += 1) {
      const there = await this.server.readKeys(beam)
      // Only the owner is told who is in it. What goes into the own vault nobody else can open, so that is believed.
      if (there.people.length === 0) return this.#placeInOthers(beam, known, there)
      try {
        return await this.#seal(vault, beam, there, merged)
      } catch (error) {
        if (tries >= MOST_TRIES || !(error instanceof Refused && error.status === CONFLICT)) throw error
      }
    }
  }

  /** The server says that the beam is another person's. */
  #placeInOthers(beam: BeamId, known: KnownPlace, { version }: BeamVault): KeysWent {
    const isOwn = known.isMine || this.#own.has(beam)
    return isOwn || version > 0 ? { go: 'nowhere' } : placeWithoutVault(known)
  }

  async #seal(vault: Vault, beam: BeamId, there: BeamVault, merged: Merging): Promise<KeysWent> {
    this.#own = new Set([...this.#own, beam])
    const before = there.keys && (await vault.openOwn(there.keys))
    // A later version of the client may have sealed it.
    if (!before && there.keys?.from === vault.publicKey) return { go: 'nowhere' }
    const sealing = await merged(before, vault.publicKey)
    if (sealing.is !== 'state') return { go: sealing.is === 'exposed' ? 'exposed' : 'nowhere' }
    const { state } = sealing
    const trusted = this.#trusted.get(beam) ?? []
    // Another device may have changed the username.
    const username = there.people.find(isOwnOf(vault))?.username ?? this.#username ?? ''
    const change = await sealedToVaults(state, { vault, username, there, before, trusted })
    if (change) await this.server.writeKeys(beam, change)
    if (this.#trusted.get(beam) === trusted) this.#trusted.delete(beam)
    return { go: 'into-vaults', vault: vault.publicKey, tag: state.tag }
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
      await this.#entered
      return await act()
    } catch (error) {
      return error instanceof Refused && error.status === 400 ? 'wrong-password' : 'failed'
    }
  }

  /** The server has the vault. Where the browser keeps nothing, it is open as long as the page. */
  async #done(vault: Vault): Promise<'done'> {
    const isLoggedIn = this.#username !== null
    if (isLoggedIn) await Promise.all([this.#keepStretched(true), this.#open(vault)]).catch(() => {})
    return 'done'
  }

  /** Does nothing where nobody is logged in any more. */
  async #open(vault: Vault | null): Promise<void> {
    const username = this.#username
    if (username === null) return
    this.#vault = vault
    if (!vault) return
    this.#exists = true
    await this.#keep(() => this.kept.write(username, vault.secret))
  }

  /** Returns why a password is not sent as it was typed: one that opens a vault would be given away; null where it may be. */
  async #refused(password: string): Promise<'failed' | 'wrong-password' | null> {
    if (await this.#hasStretched()) return 'failed'
    return this.#chosen.has(password.normalize('NFC')) ? 'wrong-password' : null
  }

  /**
   * Whether the login of now is by a password of which the server has only a part. It is the person's own: a server that says later that
   * the operator has replaced it, or that there is no vault, is not believed.
   */
  async #hasStretched(): Promise<boolean> {
    await this.#keeping
    return this.#isStretched || this.kept.isStretched().catch(() => true)
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
    if (this.#exists === null) return { is: 'unknown' }
    if (!this.#exists) return { is: 'none' }
    return { is: 'locked', needsWords: stored !== null && isReset(stored) && !(await this.#hasStretched()) }
  }
}

function isOwnOf({ publicKey }: Vault): (person: Person) => boolean {
  return ({ public_key }) => public_key === publicKey
}

/** Whether the operator has replaced the password, so that it does not open the vault. */
function isReset({ by_password }: StoredVault): boolean {
  return by_password === null
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

function readStretch({ salt, memory_kib, passes }: ToldStretch): Stretch {
  return { salt: fromBase64Url(salt) ?? new Uint8Array(), memoryKib: memory_kib, passes }
}
