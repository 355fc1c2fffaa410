/** The keys of saved beams: where they are deposited, or lie sealed to vaults, and how they get there and come from there (E9, E18). */
import { randomBytes, toBase64Url } from '../crypto/bytes'
import { type Deposit, isSameKeys } from '../crypto/deposit'
import { digestOf } from '../crypto/digest'
import type { Keyring, Taken } from '../crypto/keyring'
import type { SavedKeys } from '../crypto/saved-keys'
import { laterSeen, type VaultTag } from '../crypto/shared-keys'
import type { OwnEntry } from '../crypto/vault'
import type { BeamId, DeviceId } from '../protocol/bindings'
import type { EnteredBeams } from './entered-beams'
import { type Deposited, type Having, havingOf, type Rekeyed, type Stored, type Withdrawn } from './having'
import type { ForVault, OwnVault, Vaulted } from './own-vault'
import type { SeenEntries } from './seen-entries'

/** Where the keys of saved beams are deposited (H52). */
export interface Deposits {
  /** Returns null where there is no deposit. @throws when the server does not tell */
  read(beam: BeamId): Promise<Deposit | null>
  /** Resolves once the server has them or refuses them for good. @throws when it may take them later */
  write(beam: BeamId, keys: Deposit): Promise<void>
}

type Merging = Parameters<OwnVault['write']>[2]

/** What names the end of a share. */
const END_BYTES = 16

export class SavedBeamSecrets {
  readonly #beams: EnteredBeams

  constructor(
    beams: EnteredBeams,
    readonly deposits: Deposits,
    readonly vault: OwnVault,
    readonly seen: SeenEntries,
  ) {
    this.#beams = beams
  }

  /** The server stores the beam, so that it may have the keys. @param isMine whether the person at this device has saved it */
  async stored(beam: BeamId, isMine: boolean): Promise<Stored> {
    const { ring } = this.#beams.of(beam)
    ring.saved.stored(isMine, this.vault.person)
    await this.#looksWhere(beam, ring)
    await this.#beams.keep(beam, ring)
    // Others may have changed them while this device was away. Only what lies in the vault may say that the beam is the person's own.
    const mayBeNewer = ring.saved.deposits || (await this.vault.isOpen())
    return { ...havingOf(ring), mayBeNewer }
  }

  /** Whether the person at this device has saved the beam here. */
  #isMine(saved: SavedKeys): boolean {
    return saved.isSavedBy(this.vault.person)
  }

  async #looksWhere(beam: BeamId, { saved }: Keyring): Promise<void> {
    saved.forOwnVault(await this.vault.isFor(beam, this.#isMine(saved)))
  }

  /**
   * Deposits the keys of a beam that is saved, or seals them to vaults, so that those who may read it can open it.
   * @throws when it may succeed later
   */
  async deposit(beam: BeamId): Promise<Deposited> {
    const { ring } = this.#beams.of(beam)
    if (!ring.shared) return { ...havingOf(ring), went: 'nowhere' }
    const { isVaulted, maySend } = ring.saved
    const known = { isVaulted, maySend, isMine: this.#isMine(ring.saved) }
    const merged: Merging = (there, vault) => this.#forVault(beam, ring, there, vault)
    const went = await this.vault.write(beam, known, merged)
    if (went.go === 'into-vaults') {
      const { vault, tag, changes } = went
      ring.saved.areInVault({ vault, tag })
      await this.seen.note({ vault, tag }, { ends: ring.saved.ends, changes })
    }
    const isNowhere = went.go === 'to-server' && !(await this.#depositHere(beam, ring))
    await this.#beams.keep(beam, ring)
    return { ...havingOf(ring), went: isNowhere ? 'nowhere' : went.go }
  }

  /** Resolves to whether the server has the keys now. */
  async #depositHere(beam: BeamId, ring: Keyring): Promise<boolean> {
    const deposit = await ring.deposit()
    if (!deposit) return false
    // Who has the link could not believe what a device without it deposits.
    const before = deposit.proof === null ? await this.deposits.read(beam) : null
    // It may have heard of the vaults meanwhile.
    if (ring.saved.isVaulted) return false
    ring.saved.areDeposited()
    // Before they are sent: the page may be left without an answer.
    await this.#beams.keep(beam, ring)
    if (ring.saved.isVaulted) return false
    if (!before || !isSameKeys(before, deposit)) await this.deposits.write(beam, deposit)
    return true
  }

  /** Deposits the keys of a saved beam again, as where somebody is to have them too (`deposit`). @throws when it may succeed later */
  async depositSaved(beam: BeamId): Promise<Deposited> {
    await this.#beams.enter(beam)
    const having = await this.withdraw(beam)
    return having.isKeyed && having.deposits ? this.deposit(beam) : { ...having, went: 'nowhere' }
  }

  /**
   * The person ends that somebody can open a saved beam of theirs, before its next keys are made. @throws when it may succeed later
   */
  async distrust(beam: BeamId, username: string): Promise<void> {
    await this.#beams.enter(beam)
    // Only of what this device knows to be of this beam something is sealed again.
    await this.withdraw(beam)
    const { ring } = this.#beams.of(beam)
    const end = toBase64Url(randomBytes(END_BYTES))
    await this.vault.distrust(beam, username, ring.saved, end)
    // Not before: where the server does not take what was sealed, the share does not end either.
    ring.saved.haveEnded([end])
    await this.seen.note(ring.saved.inVault ?? (await unnamed(beam)), {
      ends: ring.saved.ends,
      changes: [0, 0],
    })
    await this.#beams.keep(beam, ring)
  }

  /**
   * Takes what was deposited with a saved beam, where there is any, or lies in the person's vault. @throws when the server does not tell
   * @param mayHaveVault whether anybody is logged in
   */
  async withdraw(beam: BeamId, mayHaveVault = true): Promise<Withdrawn> {
    const { ring } = this.#beams.of(beam)
    const vaulted = mayHaveVault ? await this.vault.read(beam, this.#isMine(ring.saved)) : null
    const isTaken = await this.#takes(vaulted, beam, ring)
    await this.#looksWhere(beam, ring)
    if (isTaken) await this.#beams.keep(beam, ring)
    return { ...havingOf(ring), isInVaults: vaulted !== null }
  }

  async #takes(vaulted: Vaulted | null, beam: BeamId, ring: Keyring): Promise<boolean> {
    if (vaulted?.is === 'own') {
      // A page that comes to an own beam without a link takes what its person has sealed, and not what an old link is of.
      if (await this.vault.isFor(beam, this.#isMine(ring.saved))) ring.forgetEarlierLink()
      const isTaken = (await this.#takesOwn(beam, ring, vaulted.entry, vaulted.vault)) !== 'nothing'
      if (isTaken) await this.vault.foundOwn(beam)
      return isTaken
    }
    if (vaulted?.is === 'handed') return ring.withdrawHanded(vaulted.keys)
    const deposit = await this.deposits.read(beam)
    return deposit !== null && ring.withdraw(deposit)
  }

  async #takesOwn(beam: BeamId, ring: Keyring, entry: OwnEntry, vault: string): Promise<Taken> {
    const named = { vault, tag: entry.tag }
    const [seen, unnamedSeen] = await Promise.all([this.seen.of(named), this.seen.of(await unnamed(beam))])
    const known = seen && unnamedSeen ? laterSeen(seen, unnamedSeen) : (seen ?? unnamedSeen)
    const taken = await ring.withdrawOwn(entry, vault, known ?? undefined)
    if (taken === 'all') await this.seen.note(named, { ends: ring.saved.ends, changes: entry.changes })
    return taken
  }

  /** Takes what lies in the person's vault, and returns what is to be there. */
  async #forVault(beam: BeamId, ring: Keyring, there: OwnEntry | null, vault: string): Promise<ForVault> {
    if (there && (await this.#takesOwn(beam, ring, there, vault)) !== 'all') return { is: 'other' }
    if (ring.saved.isExposed) return { is: 'exposed' }
    const state = ring.forVault(vault)
    return state ? { is: 'state', state } : { is: 'other' }
  }

  /** Makes new keys, where this device has some. Everybody else who may have them is to be handed them (`handTo`). */
  async rekey(beam: BeamId, without: readonly DeviceId[]): Promise<Having> {
    const { ring } = this.#beams.of(beam)
    // Before anybody is handed them.
    await this.#looksWhere(beam, ring)
    if (ring.isKeyed) await ring.rekey(without)
    await this.#beams.keep(beam, ring)
    return havingOf(ring)
  }

  /**
   * Makes new keys of a saved beam that the page is not in, where whoever may still read it finds them.
   * @throws when none are made, and it may succeed later
   */
  async rekeySaved(beam: BeamId): Promise<Rekeyed> {
    await this.#beams.enter(beam)
    const { isKeyed, isInVaults } = await this.withdraw(beam)
    const isOwn = await this.vault.isFor(beam, this.#isMine(this.#beams.of(beam).ring.saved))
    if (!isKeyed && isInVaults && isOwn) throw new Error('The server does not show the keys.')
    if (!isKeyed || !(await this.#areFound(beam))) return 'hidden'
    await this.rekey(beam, [])
    const went = await this.deposit(beam).then(
      (deposited) => deposited.went,
      () => 'not-yet' as const,
    )
    if (went === 'exposed') throw new Error('The server may have the keys.')
    return went === 'not-yet' ? 'made' : 'done'
  }

  /**
   * Whether new keys would go into the person's own vault, or take the place of a deposit. Those in vaults the owner of the beam alone
   * changes: anybody else would have them on one device, and what that one shares nobody could read.
   */
  async #areFound(beam: BeamId): Promise<boolean> {
    const { saved } = this.#beams.of(beam).ring
    if (await this.vault.isFor(beam, this.#isMine(saved))) return true
    return saved.maySend && !saved.isVaulted && (await this.deposits.read(beam)) !== null
  }
}

/**
 * Under which it is noted that shares have ended of a beam of which this browser has not seen what names it in the vault. The id itself,
 * which leads to the beam, does not stay where its person removes it.
 */
async function unnamed(beam: BeamId): Promise<VaultTag> {
  return { vault: '', tag: await digestOf(beam) }
}
