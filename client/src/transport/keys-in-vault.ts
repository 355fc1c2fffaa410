/** The keys of the saved beams of the person who is logged in, as they lie in their vault (E18). */
import type { VaultTag } from '../crypto/shared-keys'
import { fingerprintOf, type OwnState, type Vault } from '../crypto/vault'
import type { BeamId, BeamVault, SealedKeys } from '../protocol/bindings'
import { usernameKey } from '../protocol/usernames'
import type { HowKept, PersonKeys } from '../protocol/vaults'
import { Gate } from './gate'
import { hasNothing } from './key-deposits'
import { type KeysWent, type KnownPlace, type OwnVault, placeWithoutVault, type Vaulted } from './own-vault'
import { type Sealing, sealedToVaults } from './sealing-to-vaults'
import { Refused, type VaultServer } from './vault-calls'
import type { VaultKeeper } from './vault-keeper'

/** So often keys are sealed again that other devices have changed meanwhile. */
const MOST_TRIES = 3
const CONFLICT = 409

type Person = BeamVault['people'][number]
type Merging = Parameters<OwnVault['write']>[2]

export class KeysInVault implements OwnVault {
  /** The beams that are this person's own, as the page lists them; null as long as it has not. */
  #listed: ReadonlySet<BeamId> | null = null
  /** Those that this device has found to be: it has sealed them itself, or opened what another device of the person has sealed. */
  readonly #found = new Set<BeamId>()
  /** Opens when the page lists them, and when the login ends. */
  readonly #told = new Gate()
  /** The public keys of the people whom this page lets open a beam. */
  readonly #trusted = new Map<BeamId, readonly string[]>()
  /** Those of the people whom it lets open one no more. */
  readonly #distrusted = new Map<BeamId, readonly string[]>()

  constructor(
    readonly server: VaultServer,
    readonly keeper: VaultKeeper,
  ) {
    keeper.onLoginEnd(() => {
      this.#listed = null
      this.#found.clear()
      this.#trusted.clear()
      this.#distrusted.clear()
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
    this.#distrusted.set(beam, without(this.#distrusted.get(beam), key))
    return true
  }

  async distrust(beam: BeamId, username: string): Promise<VaultTag | null> {
    const vault = await this.keeper.opened()
    return vault && untilWritten(() => this.#sealWithout(username, vault, beam))
  }

  /** What is sealed next is so without that person too: the server could show again what lay there before. */
  async #sealWithout(username: string, vault: Vault, beam: BeamId): Promise<VaultTag | null> {
    const there = await this.#readKeys(beam)
    const key = there?.people.find((person) => person.username === username)?.public_key
    if (!there || !key) return null
    this.#trusted.set(beam, without(this.#trusted.get(beam), key))
    this.#distrusted.set(beam, [...(this.#distrusted.get(beam) ?? []), key])
    const before = there.keys && (await vault.openOwn(there.keys))
    if (!before?.people.includes(key)) return null
    return this.#write(beam, before, { vault, there, before, people: without(before.people, key) })
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
    const told = beams.map(async ({ beam_id, keys }) => {
      if (!keys) return [beam_id, 'readable'] as const
      // The server's word that they are sealed counts nothing, and neither does what it has sealed itself.
      const isOwn = this.#isOwn(beam_id)
      const opened = isOwn ? await vault?.openOwn(keys) : await vault?.open(keys)
      if (!opened) return isOwn && vault ? ([beam_id, 'not-in-vault'] as const) : null
      return [beam_id, opened.isDeposited ? 'sealed-since' : 'sealed'] as const
    })
    return Object.fromEntries((await Promise.all(told)).filter((one) => one !== null))
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
    return this.#isOwn(beam, known.isMine) || version > 0 ? { go: 'nowhere' } : placeWithoutVault(known)
  }

  async #seal(vault: Vault, beam: BeamId, there: BeamVault, merged: Merging): Promise<KeysWent> {
    this.#found.add(beam)
    const before = there.keys && (await vault.openOwn(there.keys))
    // A later version of the client may have sealed it.
    if (!before && there.keys?.from === vault.publicKey) return { go: 'nowhere' }
    const sealing = await merged(before, vault.publicKey)
    if (sealing.is !== 'state') return { go: sealing.is === 'exposed' ? 'exposed' : 'nowhere' }
    const { state } = sealing
    const trusted = this.#trusted.get(beam) ?? []
    // Of an older entry than this device has seen, nobody counts: the shares of some of them may have ended since.
    const handed = before && before.writes >= state.writes ? before.people : []
    const distrusted = this.#distrusted.get(beam) ?? []
    const people = [...handed, ...trusted].filter((key) => !distrusted.includes(key))
    const sealed = await this.#write(beam, state, { vault, there, before, people })
    if (this.#trusted.get(beam) === trusted) this.#trusted.delete(beam)
    return { go: 'into-vaults', ...sealed }
  }

  async #write(beam: BeamId, state: OwnState, sealing: Omit<Sealing, 'username'>): Promise<VaultTag> {
    const { vault, there } = sealing
    // Another device may have changed the username.
    const username = there.people.find(isOwnOf(vault))?.username ?? this.keeper.username ?? ''
    const { change, writes } = await sealedToVaults(state, { ...sealing, username })
    if (change) await this.server.writeKeys(beam, change)
    return { vault: vault.publicKey, tag: state.tag, writes }
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

function without(keys: readonly string[] = [], key: string): readonly string[] {
  return keys.filter((one) => one !== key)
}

function isOwnOf({ publicKey }: Vault): (person: Person) => boolean {
  return ({ public_key }) => public_key === publicKey
}

/** The public keys of those to whom the keys of a beam were handed, by this account alone: the server could name others. */
async function peopleIn(vault: Vault | null, { keys }: BeamVault): Promise<readonly string[]> {
  const entry = keys && (await vault?.openOwn(keys))
  return entry?.people ?? []
}
