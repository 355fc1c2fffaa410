/**
 * The keys of the beams that this page has entered, and everything that is done with them. It runs in a worker, so that no
 * beam key is ever in the page's memory; `secrets-door` is the way to it.
 */
import { fromBase64Url, randomBytes, toBase64Url } from '../crypto/bytes'
import { Comparisons, type ShareMessage } from '../crypto/comparisons'
import { type Deposit, isSameKeys } from '../crypto/deposit'
import type { Header, Kind } from '../crypto/envelope'
import { HandingOver, type Introduced, type Naming } from '../crypto/handing-over'
import { Keyring } from '../crypto/keyring'
import { type JoinRequest, LinkJoining, type Refusal } from '../crypto/link-joining'
import type { SavedKeys } from '../crypto/saved-keys'
import type { KeptShared } from '../crypto/shared-keys'
import type { WelcomeMessage } from '../crypto/state-welcome'
import type { OwnEntry } from '../crypto/vault'
import type { BeamId, DeviceId } from '../protocol/bindings'
import { writeUuid } from '../protocol/frames'
import { NotEntered } from './not-entered'
import { type ForVault, type KeysWent, NO_VAULT, type OwnVault, type Vaulted } from './own-vault'

/** Where keys outlive the page. */
export interface KeptKeys {
  /** @throws when it is not told what is kept */
  read(beam: BeamId): Promise<KeptShared | null>
  write(beam: BeamId, keys: KeptShared): Promise<void>
  remove(beam: BeamId): Promise<void>
}

/** What this device has of a beam. */
export interface Having {
  /** Whether it can seal and open. */
  readonly isKeyed: boolean
  /** Whether a device was ever let in besides the one that made the beam. */
  readonly hasLetIn: boolean
  /** Whether the server may have the keys. */
  readonly isDeposited: boolean
  /** Whether it deposits the keys of a saved beam (E9). */
  readonly deposits: boolean
  /** The secret that the link carries, as base64url; null where it is not known here. */
  readonly invite: string | null
  /** Whether the person opened a link whose keys this device does not have yet, though it is in. */
  readonly hasOtherLink: boolean
  /** The devices that were removed, and without which this one has changed the keys itself. */
  readonly shutOut: readonly DeviceId[]
  /** The devices that were removed and may have them, as where two were removed at once: new ones are to be made. */
  readonly uncovered: readonly DeviceId[]
  /** The devices that were let in without the link and that nobody has compared. This one may be among them. */
  readonly unverified: readonly DeviceId[]
}

/** What this device has after a welcome. */
export interface Welcomed extends Having {
  /** Whether anything of that welcome was taken. */
  readonly isTaken: boolean
  /** What this device and the one that let it in have shown; null where that was by the link, or not at all. */
  readonly signs: readonly number[] | null
}

/** What this device has of a beam that the server stores. */
export interface Stored extends Having {
  /** Whether the keys that count may lie there, also where this device has some. */
  readonly mayBeNewer: boolean
}

/** What this device has once it has looked where the keys of a saved beam lie. */
export interface Withdrawn extends Having {
  /** Whether some lie in vaults: the beam is sealed then, also where this device cannot take them. */
  readonly isInVaults: boolean
}

/** What this device has after a deposit. */
export interface Deposited extends Having {
  /** Where the keys went, or `exposed` where new ones are to be made before they go into vaults. */
  readonly went: KeysWent['go']
}

/** Whether there are new keys of a saved beam: `made`, where they are to be deposited yet; `needless`, where this device deposits none. */
export type Rekeyed = 'done' | 'made' | 'needless'

export type OpenedText =
  | { readonly is: 'open'; readonly header: Header; readonly text: string }
  /** It is under a key that is not here. */
  | { readonly is: 'unknown' }
  /** It is under a key of before, and counts no more. */
  | { readonly is: 'past' }
  | { readonly is: 'broken' }

/** Where the keys of saved beams are deposited (H52). */
export interface Deposits {
  /** Returns null where there is no deposit. @throws when the server does not tell */
  read(beam: BeamId): Promise<Deposit | null>
  /** Resolves once the server has them or refuses them for good. @throws when it may take them later */
  write(beam: BeamId, keys: Deposit): Promise<void>
}

/** What names the end of a share. */
const END_BYTES = 16

/** The keys of a beam, and what lets devices in and hands them on. */
class Beam {
  readonly joining: LinkJoining
  readonly comparing: Comparisons
  readonly handing: HandingOver

  constructor(readonly ring = new Keyring()) {
    this.joining = new LinkJoining(ring)
    this.comparing = new Comparisons(ring)
    this.handing = new HandingOver(ring)
  }
}

export class Secrets {
  readonly #beams = new Map<BeamId, Beam>()
  /** What writes and removes the keys of a beam, one after the other. */
  readonly #turns = new Map<BeamId, Promise<unknown>>()

  constructor(
    readonly kept: KeptKeys,
    readonly deposits: Deposits,
    readonly vault: OwnVault = NO_VAULT,
  ) {}

  /** Makes the keys of a beam that this device has created. */
  async make(beam: BeamId): Promise<Having> {
    const ring = await Keyring.make()
    this.#beams.set(beam, new Beam(ring))
    await this.#keep(beam, ring)
    return having(ring)
  }

  /** Makes a key of a beam whose link this device has, where nobody has one. */
  async makeKey(beam: BeamId): Promise<Having> {
    const { ring } = this.#beam(beam)
    if (!ring.isKeyed) await ring.makeKey()
    await this.#keep(beam, ring)
    return having(ring)
  }

  /**
   * Begins with a beam: with the keys that an earlier page has kept, or with the secret of a link.
   * @param invite base64url; null without a link, or where it carries no secret
   */
  async enter(beam: BeamId, invite: string | null): Promise<Having> {
    const entered = this.#beams.get(beam) ?? new Beam()
    this.#beams.set(beam, entered)
    const { ring } = entered
    // Keys are swept by the time at which they were written last.
    await this.#keep(beam, ring)
    const secret = invite === null ? null : fromBase64Url(invite)
    if (secret) {
      await ring.invite(secret)
      await this.#keep(beam, ring)
    }
    return having(ring)
  }

  /** The server stores the beam, so that it may have the keys. @param isMine whether the person at this device has saved it */
  async stored(beam: BeamId, isMine: boolean): Promise<Stored> {
    const { ring } = this.#beam(beam)
    ring.saved.stored(isMine, this.vault.person)
    await this.#looksWhere(beam, ring)
    await this.#keep(beam, ring)
    // Others may have changed them while this device was away. Only what lies in the vault may say that the beam is the person's own.
    const mayBeNewer = ring.saved.deposits || (await this.vault.isOpen())
    return { ...having(ring), mayBeNewer }
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
    const { ring } = this.#beam(beam)
    if (!ring.shared) return { ...having(ring), went: 'nowhere' }
    const { isVaulted, maySend } = ring.saved
    const known = { isVaulted, maySend, isMine: this.#isMine(ring.saved) }
    const went = await this.vault.write(beam, known, (there, vault) => forVault(ring, there, vault))
    if (went.go === 'into-vaults') {
      const { vault, tag } = went
      ring.saved.areInVault({ vault, tag })
    }
    const isNowhere = went.go === 'to-server' && !(await this.#depositHere(beam, ring))
    await this.#keep(beam, ring)
    return { ...having(ring), went: isNowhere ? 'nowhere' : went.go }
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
    await this.#keep(beam, ring)
    if (ring.saved.isVaulted) return false
    if (!before || !isSameKeys(before, deposit)) await this.deposits.write(beam, deposit)
    return true
  }

  /** Deposits the keys of a saved beam again, as where somebody is to have them too (`deposit`). @throws when it may succeed later */
  async depositSaved(beam: BeamId): Promise<Deposited> {
    await this.enter(beam, null)
    const having = await this.withdraw(beam)
    return having.isKeyed && having.deposits ? this.deposit(beam) : { ...having, went: 'nowhere' }
  }

  /**
   * The person ends that somebody can open a saved beam of theirs, before its next keys are made. @throws when it may succeed later
   */
  async distrust(beam: BeamId, username: string): Promise<void> {
    await this.enter(beam, null)
    // Only of what this device knows to be of this beam something is sealed again.
    await this.withdraw(beam)
    const { ring } = this.#beam(beam)
    const end = toBase64Url(randomBytes(END_BYTES))
    await this.vault.distrust(beam, username, ring.saved, end)
    // Not before: where the server does not take what was sealed, the share does not end either.
    ring.saved.haveEnded([end])
    await this.#keep(beam, ring)
  }

  /**
   * Takes what was deposited with a saved beam, where there is any, or lies in the person's vault. @throws when the server does not tell
   * @param mayHaveVault whether anybody is logged in
   */
  async withdraw(beam: BeamId, mayHaveVault = true): Promise<Withdrawn> {
    const { ring } = this.#beam(beam)
    const vaulted = mayHaveVault ? await this.vault.read(beam, this.#isMine(ring.saved)) : null
    const isTaken = await this.#takes(vaulted, beam, ring)
    await this.#looksWhere(beam, ring)
    if (isTaken) await this.#keep(beam, ring)
    return { ...having(ring), isInVaults: vaulted !== null }
  }

  async #takes(vaulted: Vaulted | null, beam: BeamId, ring: Keyring): Promise<boolean> {
    if (vaulted?.is === 'own') {
      // A page that comes to an own beam without a link takes what its person has sealed, and not what an old link is of.
      if (await this.vault.isFor(beam, this.#isMine(ring.saved))) ring.forgetEarlierLink()
      const isTaken = (await ring.withdrawOwn(vaulted.entry, vaulted.vault)) !== 'nothing'
      if (isTaken) await this.vault.foundOwn(beam)
      return isTaken
    }
    if (vaulted?.is === 'handed') return ring.withdrawHanded(vaulted.keys)
    const deposit = await this.deposits.read(beam)
    return deposit !== null && ring.withdraw(deposit)
  }

  /** Returns what lets in whoever has the link (E10). */
  sealKept(beam: BeamId): Promise<string | null> {
    return this.#beam(beam).ring.sealKept()
  }

  /** Takes what lets in whoever has the link. Returns null where it does not open. */
  async openKept(beam: BeamId, sealed: string, here: readonly DeviceId[] = []): Promise<Having | null> {
    const { ring } = this.#beam(beam)
    if (!(await ring.openKept(sealed, here))) return null
    await this.#keep(beam, ring)
    return having(ring)
  }

  /**
   * The beam has another id now (H28).
   * @param isMine whether this device has renewed the link: then it makes the invite that the new one carries
   */
  async moved(before: BeamId, now: BeamId, isMine: boolean): Promise<Having> {
    // Not where it is known: what is asked next is asked of the new id.
    if (!this.#beams.has(before)) await this.enter(before, null)
    const moving = this.#beam(before)
    this.#beams.delete(before)
    this.#beams.set(now, moving)
    const { ring } = moving
    const isRead = await this.#restore(before, ring)
    if (isMine) await ring.renew()
    if ((await this.#keep(now, ring)) && isRead) await this.#remove(before)
    return having(ring)
  }

  /**
   * Makes new keys, which these devices do not have. Resolves to null without doing so where that was done, or nothing is sealed.
   * @param unverified the devices of which it does not count that others have done it
   */
  async removed(
    beam: BeamId,
    devices: readonly DeviceId[],
    unverified: readonly DeviceId[],
  ): Promise<Having | null> {
    const { ring } = this.#beam(beam)
    const isDone = (device: DeviceId) => ring.removed.includes(device) && !unverified.includes(device)
    if (!ring.isKeyed || devices.every(isDone)) return null
    return this.rekey(beam, devices)
  }

  /** Makes new keys, where this device has some. Everybody else who may have them is to be handed them (`handTo`). */
  async rekey(beam: BeamId, without: readonly DeviceId[]): Promise<Having> {
    const { ring } = this.#beam(beam)
    // Before anybody is handed them.
    await this.#looksWhere(beam, ring)
    if (ring.isKeyed) await ring.rekey(without)
    await this.#keep(beam, ring)
    return having(ring)
  }

  /**
   * Makes new keys of a saved beam that the page is not in, where whoever may still read it finds them.
   * @throws when none are made, and it may succeed later
   */
  async rekeySaved(beam: BeamId): Promise<Rekeyed> {
    await this.enter(beam, null)
    const { isKeyed } = await this.withdraw(beam)
    if (!isKeyed || !(await this.#areFound(beam))) return 'needless'
    await this.rekey(beam, [])
    return this.deposit(beam).then(
      () => 'done',
      () => 'made',
    )
  }

  /**
   * Whether new keys would go into the person's own vault, or take the place of a deposit. Those in vaults the owner of the beam alone
   * changes: anybody else would have them on one device, and what that one shares nobody could read.
   */
  async #areFound(beam: BeamId): Promise<boolean> {
    const { saved } = this.#beam(beam).ring
    if (await this.vault.isFor(beam, this.#isMine(saved))) return true
    return saved.maySend && !saved.isVaulted && (await this.deposits.read(beam)) !== null
  }

  /** Returns what tells a device this one's name, and its public key, by which it can be handed new keys (E15). */
  introduce(beam: BeamId, me: DeviceId, to: DeviceId, naming: Naming): Promise<string> {
    return this.#beam(beam).handing.introduce(me, to, naming)
  }

  /** @returns with it what this device has, where it has learnt of devices that were not compared */
  async introduced(
    beam: BeamId,
    from: DeviceId,
    me: DeviceId,
    sealed: string,
  ): Promise<Introduced & { readonly having: Having | null }> {
    const { ring } = this.#beam(beam)
    const answer = await this.#beam(beam).handing.introduced(from, me, sealed)
    if (answer.isAsking || answer.isWarning) await this.#keep(beam, ring)
    return { ...answer, having: answer.isWarning ? having(ring) : null }
  }

  /** Returns the keys for a device that is in; null where it is not known how to seal them for it. */
  handTo(beam: BeamId, device: DeviceId, me: DeviceId): Promise<WelcomeMessage | null> {
    return this.#beam(beam).handing.handTo(device, me)
  }

  /** Takes what a device that is in has handed over. Resolves to null where nothing was taken. */
  async handed(
    beam: BeamId,
    from: DeviceId,
    me: DeviceId,
    message: WelcomeMessage,
    here: readonly DeviceId[],
  ): Promise<Having | null> {
    const { ring } = this.#beam(beam)
    if (!(await this.#beam(beam).handing.handed(from, me, message, here))) return null
    await this.#keep(beam, ring)
    return having(ring)
  }

  /** The beam has ended: nothing of its keys stays, or comes back from a call that is under way. */
  async forget(beam: BeamId): Promise<void> {
    this.#beams.delete(beam)
    await this.#remove(beam)
  }

  /** @throws when this device has no key of the beam */
  seal(beam: BeamId, kind: Kind, text: string): Promise<string> {
    return this.#beam(beam).ring.seal(kind, text)
  }

  async open(beam: BeamId, kind: Kind, envelope: string): Promise<OpenedText> {
    const { ring } = this.#beam(beam)
    if (!ring.knows(envelope)) return { is: 'unknown' }
    if (!ring.counts(kind, envelope)) return { is: 'past' }
    const opened = await ring.open(kind, envelope)
    if (!opened) return { is: 'broken' }
    return { is: 'open', header: opened.header, text: new TextDecoder().decode(opened.content) }
  }

  ask(beam: BeamId): Promise<JoinRequest | null> {
    return this.#beam(beam).joining.ask()
  }

  async answer(beam: BeamId, device: DeviceId, request: JoinRequest): Promise<WelcomeMessage | Refusal> {
    const { ring, joining } = this.#beam(beam)
    const answer = await joining.answer(device, request)
    if (typeof answer !== 'string') await this.#keep(beam, ring)
    return answer
  }

  /**
   * Takes the welcome of a device, to a request or after a comparison.
   * @param isCompared whether one after a comparison counts: no longer once this device is in
   * @param others those that are here
   */
  async welcomed(
    beam: BeamId,
    me: DeviceId,
    from: DeviceId,
    message: WelcomeMessage,
    isCompared: boolean,
    others: readonly DeviceId[] = [],
  ): Promise<Welcomed> {
    const { ring, joining, comparing } = this.#beam(beam)
    const here = [me, from, ...others]
    const isByLink = await joining.welcomed(me, message, here)
    const signs = !isByLink && isCompared ? await comparing.welcomed(me, from, message, here) : null
    const isTaken = isByLink || signs !== null
    if (isTaken) await this.#keep(beam, ring)
    return { ...having(ring), isTaken, signs }
  }

  /** Begins to join by a device without the link (E8). Returns the commitment. */
  commit(beam: BeamId, device: DeviceId): Promise<string> {
    return this.#beam(beam).comparing.commit(bytesOf(beam), device)
  }

  /** A device without the link begins to join by this one. @param mayBegin whether it may, if it has not begun so before */
  accept(
    beam: BeamId,
    device: DeviceId,
    commitment: string,
    mayBegin: boolean,
  ): ReturnType<Comparisons['accept']> {
    return this.#beam(beam).comparing.accept(device, commitment, mayBegin)
  }

  reveal(beam: BeamId, device: DeviceId, share: ShareMessage): ReturnType<Comparisons['reveal']> {
    return this.#beam(beam).comparing.reveal(bytesOf(beam), device, share)
  }

  revealed(beam: BeamId, device: DeviceId, share: ShareMessage): Promise<readonly number[] | null> {
    return this.#beam(beam).comparing.revealed(bytesOf(beam), device, share)
  }

  /**
   * @param signs those that the person has compared; what a joiner shows meanwhile does not count
   * @param isCompared false for the first device, which is let in unasked
   */
  async letIn(
    beam: BeamId,
    device: DeviceId,
    signs: readonly number[],
    isCompared: boolean,
  ): Promise<WelcomeMessage | null> {
    const welcome = await this.#beam(beam).comparing.letIn(device, signs, isCompared)
    await this.#keep(beam, this.#beam(beam).ring)
    return welcome
  }

  /** A person at this device has compared these. */
  async compared(beam: BeamId, devices: readonly DeviceId[]): Promise<Having> {
    const { ring } = this.#beam(beam)
    ring.unverified.compare(devices)
    await this.#keep(beam, ring)
    return having(ring)
  }

  /** Ends what a joiner has begun with this device, or this one as a joiner with that. */
  async forgetJoiner(beam: BeamId, device: DeviceId): Promise<void> {
    this.#beam(beam).comparing.forget(device)
  }

  /**
   * Keeps what this page has, with what other pages of this browser have kept since.
   * @returns false where that is not known: nothing is written then, because it may be more than this page has
   */
  async #keep(beam: BeamId, ring: Keyring): Promise<boolean> {
    if (!(await this.#restore(beam, ring))) return false
    await this.#inTurn(beam, async () => {
      // It may have been removed since, or entered anew.
      if (this.#idOf(ring) === beam && ring.kept) await this.kept.write(beam, ring.kept)
    })
    const now = this.#idOf(ring)
    return now === undefined || now === beam || this.#keep(now, ring)
  }

  /** Takes what is kept of a beam. Returns false where that is not known. */
  async #restore(beam: BeamId, ring: Keyring): Promise<boolean> {
    try {
      const kept = await this.kept.read(beam)
      if (kept) await ring.restore(kept)
      return true
    } catch {
      return false
    }
  }

  #remove(beam: BeamId): Promise<void> {
    return this.#inTurn(beam, () => this.kept.remove(beam))
  }

  /** Returns the id that the beam of these keys has now; nothing where the page has left it for good. */
  #idOf(ring: Keyring): BeamId | undefined {
    return [...this.#beams].find(([, one]) => one.ring === ring)?.[0]
  }

  /** Else keys that are still being written would be there again after they were removed. */
  async #inTurn(beam: BeamId, step: () => Promise<void>): Promise<void> {
    const done = (this.#turns.get(beam) ?? Promise.resolve()).then(step)
    const turn = done.catch(() => {})
    this.#turns.set(beam, turn)
    await turn
    if (this.#turns.get(beam) === turn) this.#turns.delete(beam)
    return done
  }

  #beam(beam: BeamId): Beam {
    const entered = this.#beams.get(beam)
    if (!entered) throw new NotEntered()
    return entered
  }
}

/** Takes what lies in the person's vault, and returns what is to be there. */
async function forVault(ring: Keyring, there: OwnEntry | null, vault: string): Promise<ForVault> {
  if (there && (await ring.withdrawOwn(there, vault)) !== 'all') return { is: 'other' }
  if (ring.saved.isExposed) return { is: 'exposed' }
  const state = ring.forVault(vault)
  return state ? { is: 'state', state } : { is: 'other' }
}

function having(ring: Keyring): Having {
  return {
    isKeyed: ring.isKeyed,
    hasLetIn: ring.kept?.hasLetIn ?? false,
    isDeposited: ring.saved.isDeposited,
    deposits: ring.saved.deposits,
    invite: ring.secret && toBase64Url(ring.secret),
    hasOtherLink: ring.hasOtherLink,
    shutOut: ring.devices.shutOut as readonly DeviceId[],
    uncovered: ring.uncovered as readonly DeviceId[],
    unverified: ring.unverified.ids as readonly DeviceId[],
  }
}

function bytesOf(beam: BeamId): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16)
  writeUuid(bytes, 0, beam)
  return bytes
}
