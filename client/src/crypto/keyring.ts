/**
 * The keys of one beam as one page has them: it seals with one of them and opens with all. Whatever takes time is made before anything
 * of it counts: a change that could be seen half made would give new keys to who has the link of before.
 */
import { type Bytes, fromBase64Url, isEqual, randomBytes, toBase64Url, utf8 } from './bytes'
import {
  type Current,
  type Invite,
  inviteOf,
  inviteWith,
  KEY_BYTES,
  keyOf,
  makeCurrent,
  namedKeys,
} from './current-keys'
import { type Deposit, depositOf, isProven, namesKey } from './deposit'
import type { Kind, Opened } from './envelope'
import type { InviteKeys } from './invite'
import { openKept, sealKept } from './kept-keys'
import { KnownDevices } from './known-devices'
import { MOST_KEYS, Openers } from './openers'
import { SavedKeys, type SavedShared } from './saved-keys'
import {
  type Changes,
  compareStates,
  isBehind,
  type KeptShared,
  type Seen,
  type SharedKeys,
  sharedIn,
  type VaultTag,
} from './shared-keys'
import { UnverifiedDevices } from './unverified-devices'
import type { OwnEntry, OwnState } from './vault'

/** More changes than a device could have missed would leave no number for the next one, and nothing newer would ever come. */
const MOST_MISSED = 1_000_000

/** The changes of keys that nobody has changed, and of which nobody told how often they were. */
const NEVER: Changes = [0, 0]

/** What names a beam in the vault of its owner. */
const TAG_BYTES = 16

/** How much of what this device is told it takes: all where that is newer, or only the keys, to open with. */
export type Taken = 'all' | 'keys' | 'nothing'

export class Keyring {
  readonly devices = new KnownDevices()
  readonly unverified = new UnverifiedDevices()
  readonly saved = new SavedKeys()
  readonly #openers = new Openers()
  /** Null before this device has been let in. */
  #current: Current | null = null
  /** What it asks with until then. */
  #first: Invite | null = null
  /** Whether an earlier page was given that, and this one was not. */
  #isFirstOfEarlier = false
  /** The secret of a link that this device was given while it was in: perhaps others have changed the keys meanwhile. */
  #other: Invite | null = null
  /** The ids of earlier invites. A removed device has them, so that their links lead nowhere. */
  readonly #past = new Set<string>()
  #own = randomBytes(KEY_BYTES)
  /** Whether others may have been told the public key that follows of it: they take no other one. */
  #isOwnTold = false
  #hasLetIn = false

  /** Makes the keys of a new beam. */
  static async make(): Promise<Keyring> {
    const ring = new Keyring()
    await ring.rekey([])
    return ring
  }

  /** Makes a beam key where nobody has one (E11). */
  async makeKey(): Promise<void> {
    if (!this.#first) return
    const made = await makeCurrent(randomBytes(KEY_BYTES), this.#first.secret)
    if (!this.#current) this.#replace({ ...made, changes: NEVER, removed: [] })
  }

  /**
   * Makes a new beam key and a new invite, which removed devices do not have. What was sealed before stays readable.
   * @param devices those that were removed: they are handed nothing any more
   */
  async rekey(devices: readonly string[]): Promise<void> {
    this.devices.forget(devices)
    const made = await makeCurrent(randomBytes(KEY_BYTES), randomBytes(KEY_BYTES))
    const [told, invites] = this.#changes
    // Where nobody told how often they were changed, there is one more of them for every time.
    const keys = told || this.#openers.size
    const before = this.currentId
    this.#replace({ ...made, changes: [keys + 1, invites + 1], removed: this.devices.gone })
    this.#shutsOut(this.devices.gone)
    this.saved.changed(before, toBase64Url(made.sealer.keyId))
  }

  /** Keys were made here that none of these is handed: nothing has to be compared with them any more. */
  #shutsOut(devices: readonly string[]): void {
    this.devices.shutsOut(devices)
    this.unverified.drop(devices)
  }

  /** Makes a new invite: the link of before opens nothing any more. */
  async renew(): Promise<void> {
    const invite = await inviteWith(randomBytes(KEY_BYTES))
    const [keys, invites] = this.#changes
    if (this.#current) this.#replace({ ...this.#current, invite, changes: [keys, invites + 1] })
  }

  /** Everything that counts changes here, at once. */
  #replace(next: Current): void {
    for (const { id } of this.#invites) this.#past.add(toBase64Url(id))
    const id = toBase64Url(next.sealer.keyId)
    const before = this.currentId
    this.#openers.sealsWith(id, next.beamKey, before)
    this.#current = next
    // Who is said to be removed has the key all the same where that has not changed.
    if (id !== before) this.unverified.dropTold(next.removed)
    this.#other = null
  }

  /** Whether this device has been let in. */
  get isKeyed(): boolean {
    return this.#current !== null
  }

  get #invite(): Invite | null {
    return this.#current?.invite ?? this.#first
  }

  /** Names the key that seals; null before this device has been let in. */
  get currentId(): string | null {
    return this.#current && toBase64Url(this.#current.sealer.keyId)
  }

  get #changes(): Changes {
    return this.#current?.changes ?? NEVER
  }

  /** Those that count. */
  get #invites(): readonly InviteKeys[] {
    if (this.#current) return [this.#current.invite.keys, this.#current.inviteOfKey]
    return this.#first ? [this.#first.keys] : []
  }

  /** The secret that the link carries; null where this device came without it. */
  get secret(): Bytes | null {
    return this.#invite?.secret ?? null
  }

  /** Names the invite that counts, and tells nothing of it. */
  get inviteId(): string | null {
    return this.#invite && toBase64Url(this.#invite.keys.id)
  }

  /** Returns an invite of this device; null where that is none, or not any more. */
  inviteNamed(id: string): InviteKeys | null {
    return this.#invites.find((one) => toBase64Url(one.id) === id) ?? null
  }

  /** Takes the secret of a link. One that is opened while this device is in may be of newer keys than it has. */
  async invite(secret: Bytes): Promise<void> {
    const invite = await inviteWith(secret)
    const id = toBase64Url(invite.keys.id)
    if (!this.isKeyed) this.#waitsWith(invite, false)
    else if (!this.inviteNamed(id) && !this.#past.has(id)) this.#other = invite
  }

  /** What this device asks with. */
  get link(): Invite | null {
    return this.#other ?? this.#invite
  }

  /** Whether a link was opened whose keys this device does not have yet. */
  get hasOtherLink(): boolean {
    return this.#other !== null
  }

  /** What is kept for a later page and told to a device that joins; null before this device has been let in. */
  get shared(): SharedKeys | null {
    if (!this.#current) return null
    const { sealer, invite, changes, removed } = this.#current
    const current = toBase64Url(sealer.keyId)
    return {
      keys: this.#openers.keys,
      current,
      invite: toBase64Url(invite.secret),
      hasLetIn: this.#hasLetIn,
      ...this.saved.told,
      changes,
      devices: this.devices.keys,
      removed,
      unverified: this.unverified.ids,
    }
  }

  /**
   * Another device tells which were not compared. Of one that was removed it counts only from who has the key that seals: that one was
   * told of the removal too, and has let it in itself, or knows who has. Returns whether any of it is news.
   * @param key the id of the key that seals for that device
   */
  hears(unverified: readonly string[], key: string): boolean {
    const out = key === this.currentId ? this.devices.shutOut : [...this.devices.shutOut, ...this.removed]
    return this.unverified.merge(unverified.filter((device) => !out.includes(device)))
  }

  /** A device is being let in. */
  letsIn(): void {
    this.#hasLetIn = true
  }

  /** Returns what is deposited with a saved beam (E9); null before this device has been let in. */
  async deposit(): Promise<Deposit | null> {
    const { shared } = this
    if (!shared || !this.#current) return null
    const { invite, inviteOfKey } = this.#current
    // One that was made of the key needs no proof.
    return depositOf(isEqual(invite.keys.id, inviteOfKey.id) ? null : invite.secret, shared)
  }

  /**
   * Takes what was deposited; a device that is in takes it to open with. Returns false when it is not what it should be, or was not
   * deposited by who has the link that was opened here.
   */
  async withdraw(deposit: Deposit): Promise<boolean> {
    const keys = await namedKeys(deposit.keys)
    // A page that was left before the server answered may have deposited it.
    if (this.currentId !== null && keys?.has(this.currentId)) this.saved.areDeposited()
    const told = { ...deposit, isDeposited: true }
    return this.#takeSaved(told, (sealing, secret) => isProven(deposit, sealing, secret))
  }

  /** Takes in the same way what another account has sealed to the vault of the person at this device (E18). */
  withdrawHanded(told: SavedShared): Promise<boolean> {
    return this.#takeSaved({ ...told, isVaulted: true }, namesKey)
  }

  /**
   * Takes what the person at this device has sealed to itself (E18): all of it, as of a device that is in, where it is of this beam. Returns
   * how much it has taken.
   * @param vault the public key of the vault
   * @param seen what this browser has seen there last, perhaps when it had keys of the beam: with an earlier state it does not begin again
   */
  async withdrawOwn(
    { tag, ends, people: _, names: __, ...told }: OwnEntry,
    vault: string,
    seen: Seen = { ends: [], changes: NEVER },
  ): Promise<Taken> {
    const link = this.#invite
    const [secret, sealing] = [keyOf(told.invite), (await namedKeys(told.keys))?.get(told.current)]
    if (!secret || !sealing) return 'nothing'
    const isOfLink = link === null || isEqual(secret, link.secret) || (await namesKey(sealing, link.secret))
    let taken = 'nothing' as Taken
    await this.take({ ...told, isVaulted: true }, (keys) => {
      if (this.isKeyed) taken = this.#takenOfOwn({ vault, tag }, keys)
      // The link may have come meanwhile.
      else if (isOfLink && this.#invite === link) taken = 'all'
      const isEarlier = [told.changes, this.#changes].every((changes) => isBehind(changes, seen.changes))
      if (taken === 'all' && isEarlier) taken = 'keys'
      return taken
    })
    if (taken === 'nothing') return taken
    this.saved.because('withdrawn')
    this.saved.areInVault(taken === 'all' ? { vault, tag } : null)
    if (taken === 'all') this.saved.haveEnded([...ends, ...seen.ends])
    return taken
  }

  /**
   * How much counts of what lies in the vault for a beam: all where it bears the tag that this device knows. The first time, before it knows
   * one, who has the key that seals here may say what counts, as with links. So may another device of the person that has replaced the key
   * which this one replaced too, because the server had it: else neither would ever have what the other one seals.
   */
  #takenOfOwn({ vault, tag }: VaultTag, keys: ReadonlyMap<string, Bytes>): Taken {
    const known = this.saved.tagIn(vault)
    if (known !== null) return known === tag ? 'all' : 'nothing'
    const sealing = this.currentId ?? ''
    if (keys.has(sealing) || keys.has(this.saved.movedFrom(sealing) ?? '')) return 'all'
    return this.#openers.hasAny(keys.keys()) ? 'keys' : 'nothing'
  }

  /** Returns what its owner seals of it to a vault (E18); null before this device has been let in. @param vault its public key */
  forVault(vault: string): OwnState | null {
    const { shared } = this
    const tag = this.saved.tagIn(vault) ?? toBase64Url(randomBytes(TAG_BYTES))
    return shared && { ...shared, hasLetIn: true, isVaulted: true, tag, ends: this.saved.ends }
  }

  /** @param isRight says whether the keys are of the beam of the link with that secret */
  async #takeSaved(
    { keys, current, isDeposited, isVaulted }: SavedShared & SavedKeys['told'],
    isRight: (sealing: Bytes, secret: Bytes) => Promise<boolean>,
  ): Promise<boolean> {
    const sealing = (await namedKeys(keys))?.get(current)
    if (!sealing) return false
    const link = this.#invite
    const isProved = link === null || (await isRight(sealing, link.secret))
    const invite = toBase64Url(link?.secret ?? (await inviteOf(sealing)))
    const told = { keys, current, invite, hasLetIn: true, isDeposited, isVaulted }
    return this.take({ ...told, changes: NEVER, devices: {}, removed: [], unverified: [] }, () => {
      if (this.isKeyed) return 'keys'
      // The link may have come meanwhile.
      if (!isProved || this.#invite !== link) return 'nothing'
      this.saved.because('withdrawn')
      return 'all'
    })
  }

  /** Returns what lets in whoever has the link, as base64url (E10); null before this device has been let in. */
  async sealKept(): Promise<string | null> {
    const { shared } = this
    if (!shared || !this.#invite) return null
    const content = JSON.stringify({ ...shared, hasLetIn: true } satisfies SharedKeys)
    return toBase64Url(await sealKept(this.#invite.secret, content))
  }

  /**
   * Takes what is kept for those who have the link, where this device has no keys. Returns whether it opens.
   * @param here the devices that are here, with this one
   */
  async openKept(sealed: string, here: readonly string[]): Promise<boolean> {
    const bytes = fromBase64Url(sealed)
    if (!bytes || !this.#invite) return false
    const content = await openKept(this.#invite.secret, bytes)
    const shared = content === null ? null : sharedIn(content)
    return shared !== null && (this.isKeyed || this.take(this.#asSeen(shared, here)))
  }

  /** What is kept for a later page, also before this device was let in: a reload would forget that the beam is sealed otherwise. */
  get kept(): KeptShared | null {
    // The end of a share is known also where the server has shown no keys.
    if (!this.#invite && this.saved.ends.length === 0) return null
    const invite = this.#invite ? toBase64Url(this.#invite.secret) : ''
    const none = { keys: [], current: '', changes: NEVER, devices: {}, removed: [], unverified: [] }
    return {
      ...(this.shared ?? { ...none, invite, hasLetIn: false }),
      ...this.saved.kept,
      own: toBase64Url(this.#own),
      past: [...this.#past],
      gone: this.devices.gone,
      shutOut: this.devices.shutOut,
      compared: this.unverified.compared,
      letIn: this.unverified.letIn,
    }
  }

  /** Takes what an earlier page has kept. */
  async restore({ own, past, gone, shutOut, compared, letIn, ...shared }: KeptShared): Promise<boolean> {
    const secret = keyOf(own)
    // Another page of this browser may have kept it since, and a later one will begin with it.
    if (secret && !this.#isOwnTold) this.#own = secret
    this.saved.restore(shared)
    this.devices.forget(gone)
    this.unverified.compare(compared)
    this.unverified.add(letIn)
    this.#shutsOut([...shutOut, ...this.devices.shutOut])
    for (const id of past) this.#past.add(id)
    return shared.keys.length === 0 ? this.#waitWith(shared.invite) : this.#take(shared, () => 'all')
  }

  /** Takes the secret with which an earlier page waited to be let in. */
  async #waitWith(invite: string): Promise<false> {
    const secret = keyOf(invite)
    const made = secret && (await inviteWith(secret))
    if (made && !this.#first) this.#waitsWith(made, true)
    return false
  }

  #waitsWith(link: Invite, isOfEarlier: boolean): void {
    this.#first = link
    this.#isFirstOfEarlier = isOfEarlier
  }

  /** A device that waits does so no longer with the link of an earlier page: perhaps the keys have changed since. */
  forgetEarlierLink(): void {
    if (this.#isFirstOfEarlier) this.#first = null
  }

  /**
   * Takes what was told. Returns false when it is not what it should be; nothing of it is taken then.
   * @param trust says how much of it, by the keys in it, once everything is made and nothing else can come between
   */
  async take(
    told: SharedKeys,
    trust: (keys: ReadonlyMap<string, Bytes>) => Taken = () => 'all',
  ): Promise<boolean> {
    const isPossible = told.changes.every((count, at) => count <= (this.#changes[at] ?? 0) + MOST_MISSED)
    return isPossible && this.#take(told, trust)
  }

  async #take(told: SharedKeys, trust: (keys: ReadonlyMap<string, Bytes>) => Taken): Promise<boolean> {
    const keys = await namedKeys(told.keys.slice(-MOST_KEYS))
    const [sealing, secret] = [keys?.get(told.current), keyOf(told.invite)]
    if (!keys || !sealing || !secret) return false
    const made = await makeCurrent(sealing, secret)
    const { changes, removed } = told
    // Nothing is awaited from here on.
    const taken = trust(keys)
    if (taken === 'nothing') return false
    this.#openers.add(keys)
    this.#hasLetIn ||= told.hasLetIn
    const isNewer = taken === 'all' && (!this.shared || compareStates(told, this.shared) > 0)
    this.saved.learn(told, taken === 'all', isNewer)
    if (taken === 'all') {
      this.devices.merge(told.devices, removed)
      if (isNewer) this.#replace({ ...made, changes, removed })
    }
    this.hears(told.unverified, told.current)
    return true
  }

  /** Returns a state in which nobody is said to be removed who is here: this device would take nothing of those any more. */
  #asSeen(told: SharedKeys, here: readonly string[]): SharedKeys {
    const isGone = (device: string) => !this.devices.isContradictedBy([device], here)
    return { ...told, removed: told.removed.filter(isGone) }
  }

  /**
   * Takes what a welcome tells. A device that is in takes the keys alone: a removed device has the invite of before, and could welcome
   * one that was away. One that made its key where it found none (E11) takes all.
   * @param by the link with which it was asked for; null after a comparison
   * @param here the devices that are here, with this one
   */
  async welcomed(told: SharedKeys, by: Invite | null, here: readonly string[]): Promise<boolean> {
    const isTaken = await this.take(this.#asSeen(told, here), (keys) => {
      if (by && this.isKeyed && !this.inviteNamed(toBase64Url(by.keys.id))) return this.#takenBy(by, keys)
      return this.#changes[0] === 0 ? 'all' : 'keys'
    })
    if (isTaken) this.saved.because('welcomed')
    // It was asked with once, whatever came of it.
    if (this.#other === by) this.#other = null
    return isTaken
  }

  /**
   * How much counts of a welcome by a link that this device did not know. Anybody can make a link with the id of the beam, and a removed
   * device has all keys but those that were made since: only who has the key that seals here may say what counts. One that has an
   * older key may still be of the beam, and could show this device what it seals with that one.
   */
  #takenBy(link: Invite, keys: ReadonlyMap<string, Bytes>): Taken {
    const sealing = this.shared?.current ?? ''
    if (keys.has(sealing)) {
      this.#past.add(toBase64Url(link.keys.id))
      return 'all'
    }
    return this.#openers.hasAny(keys.keys()) ? 'keys' : 'nothing'
  }

  /** @throws when this device has not been let in */
  async seal(kind: Kind, content: string): Promise<string> {
    if (!this.#current) throw new Error('This device has no beam key.')
    return this.#current.sealer.seal(kind, utf8(content))
  }

  /** Whether an envelope is under a key that is here. */
  knows(envelope: string): boolean {
    return this.#openers.knows(envelope)
  }

  /** Whether what is sealed under a key counts, or only says what somebody may have said long ago. */
  counts(kind: Kind, envelope: string): boolean {
    return this.#openers.counts(kind, envelope, this.currentId)
  }

  /** Returns null for what does not open. */
  open(kind: Kind, envelope: string): Promise<Opened | null> {
    return this.#openers.open(kind, envelope)
  }

  /** Returns the secret of which this device's key pair follows (E15). From then on it stays. */
  tellOwn(): Bytes {
    this.#isOwnTold = true
    return this.#own
  }

  /** The devices that were removed before the key that seals was made. */
  get removed(): readonly string[] {
    return this.#current?.removed ?? []
  }

  /** The devices that were removed since, as where two were removed at once by two others: they may have that key. */
  get uncovered(): readonly string[] {
    return this.devices.gone.filter((device) => !this.removed.includes(device))
  }
}
