/** The keys of the saved beams of the person who is logged in, as they lie in their vault (E18). */
import {
  fingerprintOf,
  type OwnEntry,
  type OwnState,
  type Trusted,
  trustedIn,
  type Vault,
} from '../crypto/vault'
import type { BeamId, BeamVault, KeptBeam, SealedKeys } from '../protocol/bindings'
import { isSameUsername, usernameKey } from '../protocol/usernames'
import type { HowKept, PersonKeys } from '../protocol/vaults'
import type { KeptKeys } from './entered-beams'
import { Gate } from './gate'
import { hasNothing } from './key-deposits'
import {
  type KeysWent,
  type KnownEntry,
  type KnownPlace,
  type OwnVault,
  placeWithoutVault,
  type Vaulted,
  type Written,
} from './own-vault'
import { knowsEnds, type Sealing, sealedToVaults } from './sealing-to-vaults'
import { ofTheirBeams, type ShownEntry } from './shown-entries'
import { Refused, type VaultServer } from './vault-calls'
import type { VaultKeeper } from './vault-keeper'

/** So often keys are sealed again that other devices have changed meanwhile. */
const MOST_TRIES = 3
const CONFLICT = 409

const NOBODY: Trusted = new Map()

type Person = BeamVault['people'][number]
type Merging = Parameters<OwnVault['write']>[2]

export class KeysInVault implements OwnVault {
  /** The beams that are this person's own, as the page lists them; null as long as it has not. */
  #listed: ReadonlySet<BeamId> | null = null
  /** Those that this device has found to be: it has sealed them itself, or opened what another device of the person has sealed. */
  readonly #found = new Set<BeamId>()
  /** Opens when the page lists them, and when the login ends. */
  readonly #told = new Gate()
  /** The people whom this page lets open a beam, before its keys are sealed to them. */
  readonly #trusted = new Map<BeamId, Trusted>()

  constructor(
    readonly server: VaultServer,
    readonly keeper: VaultKeeper,
    readonly kept: Pick<KeptKeys, 'read'>,
  ) {
    keeper.onLoginEnd(() => {
      this.#listed = null
      this.#found.clear()
      this.#trusted.clear()
      this.#told.open()
    })
  }

  /** Returns the other people with access to a beam of this person; nobody for a beam of others. @throws when the server refuses */
  async peopleOf(beam: BeamId): Promise<readonly PersonKeys[]> {
    const vault = await this.keeper.opened()
    const there = await this.server.readKeys(beam)
    const trusted = await peopleIn(vault, there)
    const isOwn = vault ? isOwnOf(vault) : ({ username }: Person) => username === this.keeper.username
    const others = there.people.filter((person) => !isOwn(person))
    return Promise.all(
      others.map(async ({ username, public_key }) => ({
        username,
        fingerprint: public_key === null ? null : await fingerprintOf(public_key),
        hasKeys: public_key !== null && trusted.has(public_key),
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
    this.#trusted.set(beam, new Map([...(this.#trusted.get(beam) ?? NOBODY), [key, username]]))
    return true
  }

  async distrust(beam: BeamId, username: string, known: KnownEntry, end: string): Promise<void> {
    const vault = await this.keeper.opened()
    if (vault) await untilWritten(() => this.#sealWithout(username, vault, beam, known, end))
  }

  async #sealWithout(
    username: string,
    vault: Vault,
    beam: BeamId,
    known: KnownEntry,
    end: string,
  ): Promise<void> {
    const there = await this.#readKeys(beam)
    const listed = there?.people ?? []
    this.#trusted.set(beam, othersThan(username, this.#trusted.get(beam) ?? NOBODY, listed))
    const before = there?.keys && (await vault.openOwn(there.keys))
    // What is hidden, of another beam, or older than this device has seen stays as it is. It lacks this end, so that nobody counts in it.
    if (!before || before.tag !== known.tagIn(vault.publicKey) || !knowsEnds(before, known.ends)) return
    const people = othersThan(username, trustedIn(before), listed)
    await this.#write(beam, { ...before, ends: [...before.ends, end] }, { vault, there, before, people })
  }

  /**
   * The page lists these beams as the person's own. Of those the server cannot say that they are another account's, whose keys it could
   * make up, or who has no vault.
   */
  async ownBeams(beams: readonly BeamId[]): Promise<void> {
    this.#listed = new Set([...(this.#listed ?? []), ...beams])
    this.#told.open()
  }

  async foundOwn(beam: BeamId): Promise<void> {
    this.#found.add(beam)
  }

  #isOwn(beam: BeamId, isMine = false): boolean {
    return isMine || this.#found.has(beam) || (this.#listed?.has(beam) ?? false)
  }

  /** Returns the vault, once it is known whether the beam is the person's own: the server says whose it is as it likes. */
  async #openedFor(beam: BeamId, isMine: boolean): Promise<Vault | null> {
    for (;;) {
      const vault = await this.keeper.opened()
      if (!vault || this.#listed || this.#isOwn(beam, isMine)) return vault
      await this.#told.wait()
    }
  }

  /**
   * Returns how the keys of this person's saved beams are kept: readable by the server, sealed to vaults, sealed since the server could
   * read them, or sealed so that the vault does not open them. A beam of which nothing is kept is not among them.
   */
  async howKept(): Promise<Readonly<Record<BeamId, HowKept>>> {
    const vault = await this.keeper.opened()
    const beams = await this.server.listKeys()
    const entries = vault ? await this.#entriesIn(vault, beams) : new Map<BeamId, OwnEntry>()
    const told = beams.map(async ({ beam_id, keys }) => {
      if (!keys) return [beam_id, 'readable'] as const
      // The server's word that they are sealed counts nothing, and neither does what it has sealed itself.
      const isOwn = this.#isOwn(beam_id)
      const opened = isOwn ? entries.get(beam_id) : await vault?.open(keys)
      if (!opened) return isOwn && vault ? ([beam_id, 'not-in-vault'] as const) : null
      return [beam_id, opened.isDeposited ? 'sealed-since' : 'sealed'] as const
    })
    return Object.fromEntries((await Promise.all(told)).filter((one) => one !== null))
  }

  /** Returns what lies in the vault for own beams, where that is of the beam for which the server shows it. */
  async #entriesIn(vault: Vault, beams: readonly KeptBeam[]): Promise<ReadonlyMap<BeamId, OwnEntry>> {
    const shown = beams.map(async ({ beam_id, keys }): Promise<readonly ShownEntry[]> => {
      const entry = keys && this.#isOwn(beam_id) ? await vault.openOwn(keys) : null
      if (!entry) return []
      const kept = await this.kept.read(beam_id).catch(() => null)
      return [{ beam: beam_id, entry, kept }]
    })
    const right = ofTheirBeams((await Promise.all(shown)).flat(), vault.publicKey)
    return new Map(right.map(({ beam, entry }) => [beam, entry]))
  }

  get person(): string | null {
    return this.keeper.username === null ? null : usernameKey(this.keeper.username)
  }

  async isOpen(): Promise<boolean> {
    return (await this.keeper.opened()) !== null
  }

  async isFor(beam: BeamId, isMine: boolean): Promise<boolean> {
    return this.#isOwn(beam, isMine) && (await this.isOpen())
  }

  async read(beam: BeamId, isMine: boolean): Promise<Vaulted | null> {
    const vault = await this.#openedFor(beam, isMine)
    if (this.keeper.hasVault === null) throw notKnown()
    const there = await this.#readKeys(beam)
    if (!there || there.version === 0) return null
    const found = vault && there.keys && (await this.#foundIn(vault, there.keys, this.#isOwn(beam, isMine)))
    return found ?? { is: 'closed' }
  }

  async #foundIn(vault: Vault, sealed: SealedKeys, isOwn: boolean): Promise<Vaulted | null> {
    const entry = await vault.openOwn(sealed)
    if (entry) return { is: 'own', entry, vault: vault.publicKey }
    const keys = isOwn ? null : await vault.open(sealed)
    return keys && { is: 'handed', keys }
  }

  /** Returns null where there is nothing for this person. @throws when the server does not tell */
  async #readKeys(beam: BeamId): Promise<BeamVault | null> {
    try {
      return await this.server.readKeys(beam)
    } catch (error) {
      if (error instanceof Refused && hasNothing(error.status)) return null
      throw error
    }
  }

  async write(beam: BeamId, known: KnownPlace, merged: Merging): Promise<KeysWent> {
    const vault = await this.#openedFor(beam, known.isMine)
    if (vault) return this.#writeOpen(vault, beam, known, merged)
    // Keys that have gone to the server as they are cannot be taken back.
    if (this.keeper.hasVault === null) throw notKnown()
    return this.keeper.hasVault ? { go: 'nowhere' } : placeWithoutVault(known)
  }

  #writeOpen(vault: Vault, beam: BeamId, known: KnownPlace, merged: Merging): Promise<KeysWent> {
    return untilWritten(async () => {
      const there = await this.server.readKeys(beam)
      // Only the owner is told who is in it. What goes into the own vault nobody else can open, so that is believed.
      if (there.people.length === 0) return this.#placeInOthers(beam, known, there)
      return this.#seal(vault, beam, there, merged)
    })
  }

  /** The server says that the beam is another person's. */
  #placeInOthers(beam: BeamId, known: KnownPlace, { version }: BeamVault): KeysWent {
    if (this.#isOwn(beam, known.isMine)) return { go: 'not-yet' }
    return version > 0 ? { go: 'nowhere' } : placeWithoutVault(known)
  }

  async #seal(vault: Vault, beam: BeamId, there: BeamVault, merged: Merging): Promise<KeysWent> {
    this.#found.add(beam)
    const before = there.keys && (await vault.openOwn(there.keys))
    // A later version of the client may have sealed it.
    if (!before && there.keys?.from === vault.publicKey) return { go: 'not-yet' }
    const sealing = await merged(before, vault.publicKey)
    if (sealing.is !== 'state') return { go: sealing.is === 'exposed' ? 'exposed' : 'not-yet' }
    const { state } = sealing
    const trusted = this.#trusted.get(beam) ?? NOBODY
    // Of an entry without an end of a share that this device knows of, nobody counts: it may be theirs that has ended.
    const handed = before && knowsEnds(before, state.ends) ? named(trustedIn(before), there.people) : NOBODY
    const people = new Map([...handed, ...trusted])
    const sealed = await this.#write(beam, state, { vault, there, before, people })
    if (this.#trusted.get(beam) === trusted) this.#trusted.delete(beam)
    return { go: 'into-vaults', ...sealed }
  }

  async #write(beam: BeamId, state: OwnState, sealing: Omit<Sealing, 'username'>): Promise<Written> {
    const { vault, there } = sealing
    // Another device may have changed the username.
    const username = there.people.find(isOwnOf(vault))?.username ?? this.keeper.username ?? ''
    const change = await sealedToVaults(state, { ...sealing, username })
    if (change) await this.server.writeKeys(beam, change)
    return { vault: vault.publicKey, tag: state.tag, changes: state.changes }
  }
}

/** Seals and writes again where another device has written meanwhile. */
async function untilWritten<Written>(write: () => Promise<Written>): Promise<Written> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write()
    } catch (error) {
      if (tries >= MOST_TRIES || !(error instanceof Refused && error.status === CONFLICT)) throw error
    }
  }
}

function notKnown(): Error {
  return new Error('It is not known whether there is a vault.')
}

/**
 * Returns those who surely are not the person with that username: the server lists them, and under the name by which the owner has let them
 * in. Whoever it hides, or says to be called otherwise, could be that person.
 */
function othersThan(username: string, trusted: Trusted, listed: readonly Person[]): Trusted {
  const isOther = (key: string, name: string) => {
    const called = listed.filter(({ public_key }) => public_key === key)
    return called.length > 0 && called.every((person) => isSameUsername(person.username, name))
  }
  return new Map([...trusted].filter(([key, name]) => !isSameUsername(name, username) && isOther(key, name)))
}

/** Gives those their names who were let in before names were sealed: those by which they are listed now. */
function named(trusted: Trusted, listed: readonly Person[]): Trusted {
  const nameOf = (key: string) => listed.find(({ public_key }) => public_key === key)?.username ?? ''
  return new Map([...trusted].map(([key, name]) => [key, name || nameOf(key)]))
}

function isOwnOf({ publicKey }: Vault): (person: Person) => boolean {
  return ({ public_key }) => public_key === publicKey
}

/** Those to whom the keys of a beam were handed, by this account alone: the server could name others. */
async function peopleIn(vault: Vault | null, { keys }: BeamVault): Promise<Trusted> {
  const entry = keys && (await vault?.openOwn(keys))
  return entry ? trustedIn(entry) : NOBODY
}
