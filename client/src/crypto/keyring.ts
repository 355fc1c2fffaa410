/** The keys of one beam as one page has them: it seals with one of them and opens with all. */
import { type Bytes, fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes'
import { headerOf, type Kind, keyIdOf, type Opened, Opener, Sealer } from './envelope'
import { derive } from './hkdf'
import { type InviteKeys, inviteKeysOf, isProof, proofOf } from './invite'
import { openKept, sealKept } from './kept-keys'
import { type Changes, compareStates, type KeptShared, type SharedKeys, sharedIn } from './shared-keys'
import { joinerKeys, openWelcome, type Psk, publicBytes, type Sealed, sealWelcome } from './welcome'

const KEY_BYTES = 32
/** More beam keys than a beam ever had say that somebody fills the memory: each removal of a device makes one. */
const MOST_KEYS = 256
/** Removed devices that are remembered: as many as the server does (S25). */
const MOST_REMOVED = 1_000
/** As many as are here (S17), and as many again that are away. */
const MOST_DEVICES = 200

/** The changes of keys that nobody has changed, and of which nobody told how often they were. */
const NEVER: Changes = [0, 0]

/**
 * What is deposited with a saved beam (E9), as base64url. `isDeposited`: whether the server may have the keys, which it may unless they
 * come from a vault (E18).
 */
export type Deposit = Pick<SharedKeys, 'keys' | 'current'> & { readonly isDeposited?: boolean }

/** What a device with the link asks another to be let in with (E6). All are base64url. */
export interface JoinRequest {
  readonly id: string
  readonly key: string
  readonly proof: string
}

/** A welcome as it goes over the wire. Both are base64url. */
export interface WelcomeMessage {
  readonly encapsulated: string
  readonly sealed: string
}

/** Why a device lets nobody in: the proof is wrong, or it has no key itself. */
export type Refusal = 'proof' | 'keyless'

/** The secret of a link. */
interface Invite {
  readonly secret: Bytes
  readonly keys: InviteKeys
}

export class Keyring {
  /** By the id of the key. */
  readonly #openers = new Map<string, Opener>()
  #sealer: Sealer | null = null
  #invite: Invite | null = null
  /** The invite that follows of the key that seals. */
  #inviteOfKey: InviteKeys | null = null
  /** The ids of earlier invites. A removed device has them, so that their links lead nowhere. */
  readonly #past = new Set<string>()
  /** The secret of a link that this device was given while it was in: perhaps others have changed the keys meanwhile. */
  #link: Invite | null = null
  #changes: Changes = NEVER
  /** The public keys of the devices that are known to be in, by id. */
  #devices = new Map<string, string>()
  /** The devices that were removed. One that was is never handed anything again. */
  #gone: readonly string[] = []
  /** Those of them that were removed before the key that seals was made. */
  #removed: readonly string[] = []
  #own = randomBytes(KEY_BYTES)
  #hasLetIn = false
  #isDeposited = false
  #isVaulted = false
  /** Whether the server says that it stores the beam. */
  #isStored = false
  #deposits = false
  /** Made for one join, and void once a device has let this one in: a late answer of one that was asked before still opens. */
  #joining: CryptoKeyPair | null = null

  /** Makes the keys of a new beam. */
  static async make(): Promise<Keyring> {
    const ring = new Keyring()
    await ring.invite(randomBytes(KEY_BYTES))
    await ring.makeKey()
    ring.#changes = [1, 1]
    return ring
  }

  /** Makes a beam key where nobody has one. */
  async makeKey(): Promise<void> {
    await this.#sealWith(randomBytes(KEY_BYTES))
  }

  /**
   * Makes a new beam key and a new invite, which removed devices do not have. What was sealed before stays readable.
   * @param devices those that were removed: they are handed nothing any more
   */
  async rekey(devices: readonly string[]): Promise<void> {
    const [keys, invites] = this.#changes
    this.#forget(devices)
    const gone = this.#gone
    await this.makeKey()
    await this.#changeInvite(randomBytes(KEY_BYTES))
    this.#changes = [keys + 1, invites + 1]
    this.#removed = gone
  }

  /** Makes a new invite: the link of before opens nothing any more. */
  async renew(): Promise<void> {
    const [keys, invites] = this.#changes
    await this.#changeInvite(randomBytes(KEY_BYTES))
    this.#changes = [keys, invites + 1]
  }

  /** Whether this device has been let in. */
  get isKeyed(): boolean {
    return this.#sealer !== null
  }

  /** The secret that the link carries; null where this device came without it. */
  get secret(): Bytes | null {
    return this.#invite?.secret ?? null
  }

  /** Takes the secret of a link. One that is opened while this device is in may be of newer keys than it has. */
  async invite(secret: Bytes): Promise<void> {
    const invite = { secret, keys: await inviteKeysOf(secret) }
    if (!this.isKeyed) this.#invite = invite
    else if (!this.#isKnown(invite)) this.#link = invite
  }

  /** Whether a link was opened whose keys this device does not have yet. */
  get hasOtherLink(): boolean {
    return this.#link !== null
  }

  #isKnown({ keys }: Invite): boolean {
    const id = toBase64Url(keys.id)
    const known = [this.#invite?.keys, this.#inviteOfKey].map((one) => one && toBase64Url(one.id))
    return known.includes(id) || this.#past.has(id)
  }

  /** What is kept for a later page and told to a device that joins; null before this device has been let in. */
  get shared(): SharedKeys | null {
    if (!this.#sealer || !this.#invite) return null
    const current = toBase64Url(this.#sealer.keyId)
    const known = [...this.#openers].sort(
      ([one], [other]) => Number(one === current) - Number(other === current),
    )
    return {
      // The one that seals is the last, so that it is never cut off.
      keys: known.map(([, { beamKey }]) => toBase64Url(beamKey)).slice(-MOST_KEYS),
      current,
      invite: toBase64Url(this.#invite.secret),
      hasLetIn: this.#hasLetIn,
      isDeposited: this.isDeposited,
      ...(this.#isVaulted && { isVaulted: true }),
      changes: this.#changes,
      devices: Object.fromEntries(this.#devices),
      removed: this.#removed,
    }
  }

  /**
   * The server stores the beam: from now on it may have the keys, unless they are in vaults.
   * @param isMine whether the person at this device has saved it
   * @param inVault whether that person has a vault
   */
  stored(isMine: boolean, inVault = false): void {
    this.#isStored = true
    this.#deposits ||= isMine
    this.#isVaulted ||= isMine && inVault
  }

  /** The keys went to the server: into vaults, which it cannot open, or as they are. */
  wasDeposited(inVault: boolean): void {
    if (inVault) this.#isVaulted = true
    else this.#isDeposited = true
  }

  /** Whether the server may have the keys. */
  get isDeposited(): boolean {
    return this.#isDeposited || (this.#isStored && !this.#isVaulted)
  }

  /** Whether the keys of the saved beam are in vaults: they are deposited in no other way then. */
  get isVaulted(): boolean {
    return this.#isVaulted
  }

  /**
   * Whether this device deposits the keys (E9). Else the server could have them by saying that somebody has saved the beam, or say
   * which keys count.
   */
  get deposits(): boolean {
    return this.#deposits
  }

  /** What is deposited with a saved beam (E9); null before this device has been let in. */
  get deposit(): Deposit | null {
    const { shared } = this
    return shared && { keys: shared.keys, current: shared.current, isDeposited: shared.isDeposited }
  }

  /** Takes what was deposited; a device that is in takes it to open with. Returns false when it is not what it should be. */
  async withdraw({ keys, current, isDeposited }: Deposit): Promise<boolean> {
    const sealing = await keyNamed(current, keys.map(keyOf))
    if (!sealing) return false
    const isIn = this.isKeyed
    const invite = toBase64Url(this.#invite?.secret ?? (await inviteOf(sealing)))
    // What comes from a vault says so.
    const isVaulted = isDeposited !== undefined
    const told = { keys, current, invite, hasLetIn: true, isDeposited: isDeposited ?? true, isVaulted }
    const isTaken = await this.take({ ...told, changes: NEVER, devices: {}, removed: [] }, false)
    this.#deposits ||= isTaken && !isIn
    return isTaken
  }

  /** Returns what lets in whoever has the link, as base64url (E10); null before this device has been let in. */
  async sealKept(): Promise<string | null> {
    const { shared } = this
    if (!shared || !this.#invite) return null
    const content = JSON.stringify({ ...shared, hasLetIn: true } satisfies SharedKeys)
    return toBase64Url(await sealKept(this.#invite.secret, content))
  }

  /** Takes what is kept for those who have the link. Returns whether this device has been let in by it. */
  async openKept(sealed: string): Promise<boolean> {
    const bytes = fromBase64Url(sealed)
    if (!bytes || !this.#invite) return false
    const content = await openKept(this.#invite.secret, bytes)
    const shared = content === null ? null : sharedIn(content)
    return shared !== null && this.take(shared)
  }

  /** What is kept for a later page, also before this device was let in: a reload would forget that the beam is sealed otherwise. */
  get kept(): KeptShared | null {
    if (!this.#invite) return null
    const invite = toBase64Url(this.#invite.secret)
    const isDeposited = this.#isDeposited
    const none = { keys: [], current: '', changes: NEVER, devices: {}, removed: [] }
    const shared = this.shared ?? { ...none, invite, hasLetIn: false, isDeposited }
    return {
      ...shared,
      isDeposited,
      isStored: this.#isStored,
      own: toBase64Url(this.#own),
      past: [...this.#past],
      gone: this.#gone,
      deposits: this.#deposits,
    }
  }

  /** Takes what an earlier page has kept. */
  async restore({ own, past, gone, deposits, isStored = false, ...shared }: KeptShared): Promise<boolean> {
    const secret = keyOf(own)
    // Another page of this browser may have kept it since: the others have been told the one of this page.
    if (secret && !this.isKeyed) this.#own = secret
    this.#deposits ||= deposits
    this.#isStored ||= isStored
    this.#forget(gone)
    for (const id of past) this.#past.add(id)
    return this.take(shared)
  }

  /**
   * Takes what was kept or told. Returns false when it is not what it should be; nothing of it is taken then.
   * @param isTrusted whether it counts where it is newer: else a device that is in takes only the keys, to open with
   */
  async take(told: SharedKeys, isTrusted = true): Promise<boolean> {
    const beamKeys = told.keys.slice(-MOST_KEYS).map(keyOf)
    const secret = keyOf(told.invite)
    if (secret && told.keys.length === 0 && !this.#invite) await this.invite(secret)
    const sealing = await keyNamed(told.current, beamKeys)
    if (!secret || !sealing || beamKeys.includes(null)) return false
    const isNewer = !this.shared || (isTrusted && compareStates(told, this.shared) > 0)
    for (const key of beamKeys) if (key) await this.#add(key)
    this.#hasLetIn ||= told.hasLetIn
    this.#learnDeposit(told)
    if (isNewer || isTrusted) this.#merge(told)
    if (isNewer) await this.#switch(told, sealing, secret)
    return true
  }

  /** Who does not know of the vaults takes every saved beam for one whose keys the server has. */
  #learnDeposit({ isDeposited, isVaulted = false }: SharedKeys): void {
    this.#isDeposited ||= isDeposited && (isVaulted || !this.#isVaulted)
    this.#isVaulted ||= isVaulted
  }

  async #switch({ current, changes, removed }: SharedKeys, sealing: Bytes, secret: Bytes): Promise<void> {
    if (!this.#sealer || toBase64Url(this.#sealer.keyId) !== current) await this.#sealWith(sealing)
    await this.#changeInvite(secret)
    this.#changes = changes
    this.#removed = removed
  }

  /** What this device has heard itself counts before what it is told. */
  #merge({ devices, removed }: SharedKeys): void {
    const known = [...Object.entries(devices), ...this.#devices].slice(-MOST_DEVICES)
    this.#devices = new Map(known)
    this.#forget(removed)
  }

  /** The devices were removed. */
  #forget(removed: readonly string[]): void {
    const fresh = removed.filter((device) => !this.#gone.includes(device))
    this.#gone = [...this.#gone, ...fresh].slice(-MOST_REMOVED)
    for (const device of this.#gone) this.#devices.delete(device)
  }

  async #sealWith(beamKey: Bytes): Promise<void> {
    await this.#add(beamKey)
    const inviteOfKey = await inviteKeysOf(await inviteOf(beamKey))
    const sealer = await Sealer.of(beamKey)
    if (this.#inviteOfKey) this.#past.add(toBase64Url(this.#inviteOfKey.id))
    this.#inviteOfKey = inviteOfKey
    this.#sealer = sealer
  }

  async #changeInvite(secret: Bytes): Promise<void> {
    const keys = await inviteKeysOf(secret)
    const before = this.#invite && toBase64Url(this.#invite.keys.id)
    if (before !== null && before !== toBase64Url(keys.id)) this.#past.add(before)
    this.#invite = { secret, keys }
    this.#link = null
  }

  /** @throws when this device has not been let in */
  async seal(kind: Kind, content: string): Promise<string> {
    if (!this.#sealer) throw new Error('This device has no beam key.')
    return this.#sealer.seal(kind, utf8(content))
  }

  /** Whether an envelope is under a key that is here. */
  knows(envelope: string): boolean {
    return this.#openers.has(headerOf(envelope)?.keyId ?? '')
  }

  /** Returns null for what does not open. */
  async open(kind: Kind, envelope: string): Promise<Opened | null> {
    const opener = this.#openers.get(headerOf(envelope)?.keyId ?? '')
    return opener ? opener.open(kind, envelope) : null
  }

  /** The secret of which this device's key pair follows (E15). */
  get own(): Bytes {
    return this.#own
  }

  /** Names the invite that counts, and tells nothing of it. */
  get inviteId(): string | null {
    return this.#invite && toBase64Url(this.#invite.keys.id)
  }

  /** The public key of a device that is in; null where it is not known, or the device was removed. */
  keyOfDevice(device: string): Bytes | null {
    const key = this.#devices.get(device)
    return key === undefined ? null : fromBase64Url(key)
  }

  /** A device has said its public key. Returns whether that is news. */
  learnDevice(device: string, key: string): boolean {
    if (this.isRemoved(device) || this.#devices.get(device) === key) return false
    this.#devices.delete(device)
    this.#devices.set(device, key)
    for (const oldest of [...this.#devices.keys()].slice(0, -MOST_DEVICES)) this.#devices.delete(oldest)
    return true
  }

  /** The devices that were removed before the key that seals was made. */
  get removed(): readonly string[] {
    return this.#removed
  }

  /** The devices that were removed since, as where two were removed at once by two others: they may have that key. */
  get uncovered(): readonly string[] {
    return this.#gone.filter((device) => !this.#removed.includes(device))
  }

  isRemoved(device: string): boolean {
    return this.#gone.includes(device)
  }

  /** Begins to join. Returns null without the secret of a link. */
  async ask(): Promise<JoinRequest | null> {
    const invite = this.#link ?? this.#invite
    if (!invite) return null
    const { keys } = invite
    this.#joining ??= await joinerKeys()
    const publicKey = await publicBytes(this.#joining)
    const proof = await proofOf(keys, publicKey)
    return { id: toBase64Url(keys.id), key: toBase64Url(publicKey), proof: toBase64Url(proof) }
  }

  /** Lets a device in that proves to have the link. */
  async answer(device: string, { id, key, proof }: JoinRequest): Promise<WelcomeMessage | Refusal> {
    if (!this.shared || !this.#invite) return 'keyless'
    const keys = [this.#invite.keys, this.#inviteOfKey].find((one) => one && toBase64Url(one.id) === id)
    const publicKey = fromBase64Url(key)
    const shown = fromBase64Url(proof)
    if (!publicKey || !shown || !keys) return 'proof'
    if (!(await isProof(keys, publicKey, shown))) return 'proof'
    // One that proves to have the link may still have a key that is no point of the curve.
    return (await this.welcomeFor(publicKey, device, keys)) ?? 'proof'
  }

  /** Returns what lets a device in; null where its key is none, or this device has no key itself. */
  async welcomeFor(publicKey: Bytes, device: string, psk: Psk): Promise<WelcomeMessage | null> {
    const { shared } = this
    if (!shared) return null
    // Before anything is awaited: of two that come at once, only one is the first.
    this.#hasLetIn = true
    const content = utf8(JSON.stringify({ ...shared, hasLetIn: true } satisfies SharedKeys))
    try {
      const { encapsulated, sealed } = await sealWelcome(content, { publicKey, device }, psk)
      return { encapsulated: toBase64Url(encapsulated), sealed: toBase64Url(sealed) }
    } catch {
      return null
    }
  }

  /**
   * Takes the answer to an `ask`.
   * @param me this device's id
   * @returns whether this device has been let in by it
   */
  async welcomed(me: string, message: WelcomeMessage): Promise<boolean> {
    const keys = this.#joining
    const invite = this.#link ?? this.#invite
    if (!keys || !invite) return false
    if (!(await this.openedWelcome(keys, me, invite.keys, message))) return false
    this.#joining = null
    return true
  }

  /**
   * Takes what a welcome tells. Returns false for one that was not made for this device, its key pair and the pre-shared key. A
   * device that is in takes the keys alone: a removed device has the invite of before, and could welcome one that was away. One
   * that made its key where it found none (E11), or that was given a link which it did not know, takes all.
   */
  async openedWelcome(keys: CryptoKeyPair, me: string, psk: Psk, message: WelcomeMessage): Promise<boolean> {
    const sealed = sealedOf(message)
    const content = sealed && (await openWelcome(sealed, { keys, device: me }, psk))
    const shared = content && sharedIn(new TextDecoder().decode(content))
    const isFree = this.#link !== null || this.#changes[0] === 0
    return shared !== null && this.take(shared, isFree)
  }

  async #add(beamKey: Bytes): Promise<void> {
    const id = await keyIdOf(beamKey)
    if (this.#openers.has(id)) return
    this.#openers.set(id, new Opener(beamKey))
  }
}

/**
 * Returns the invite that follows of a beam key. A device that has the keys from a deposit makes its links with it, and every device
 * of the beam knows it.
 */
function inviteOf(beamKey: Bytes): Promise<Bytes> {
  return derive(beamKey, 'beam-e2e/1 invite', KEY_BYTES)
}

async function keyNamed(id: string, keys: readonly (Bytes | null)[]): Promise<Bytes | null> {
  const ids = await Promise.all(keys.map((key) => key && keyIdOf(key)))
  return keys[ids.indexOf(id)] ?? null
}

function keyOf(text: string): Bytes | null {
  const bytes = fromBase64Url(text)
  return bytes?.byteLength === KEY_BYTES ? bytes : null
}

/** Returns null for what is not base64url. */
export function sealedOf({ encapsulated, sealed }: WelcomeMessage): Sealed | null {
  const [point, rest] = [fromBase64Url(encapsulated), fromBase64Url(sealed)]
  return point && rest && { encapsulated: point, sealed: rest }
}
