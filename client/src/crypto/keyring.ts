/** The keys of one beam as one page has them: it seals with one of them and opens with all. */
import { type Bytes, fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes'
import { headerOf, type Kind, keyIdOf, type Opened, Opener, Sealer } from './envelope'
import { derive } from './hkdf'
import { type InviteKeys, inviteKeysOf, isProof, proofOf } from './invite'
import { openKept, sealKept } from './kept-keys'
import { joinerKeys, openWelcome, type Psk, publicBytes, type Sealed, sealWelcome } from './welcome'

const KEY_BYTES = 32
/** More beam keys than a beam ever had say that somebody fills the memory: each removal of a device makes one. */
const MOST_KEYS = 256
/** Keys of one deposit (H52). */
const MOST_DEPOSITED = 16

/** What the devices of a beam have in common, as it is kept and as a welcome tells it (E6). All are base64url. */
export interface SharedKeys {
  readonly keys: readonly string[]
  /** The id of the key that seals. */
  readonly current: string
  readonly invite: string
  /** Whether a device was ever let in besides the one that made the beam (E8). */
  readonly hasLetIn: boolean
  /** Whether the server may have the keys, because they are or were deposited (E9). Once it may, it always may. */
  readonly isDeposited: boolean
}

/** What is deposited with a saved beam (E9), as base64url. */
export type Deposit = Pick<SharedKeys, 'keys' | 'current'>

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

export class Keyring {
  /** By the id of the key. */
  readonly #openers = new Map<string, Opener>()
  #sealer: Sealer | null = null
  #invite: { readonly secret: Bytes; readonly keys: InviteKeys } | null = null
  /** The invite that follows of each beam key. */
  readonly #invitesOfKeys: InviteKeys[] = []
  #hasLetIn = false
  #isDeposited = false
  /** Made for one join, and void once a device has let this one in: a late answer of one that was asked before still opens. */
  #joining: CryptoKeyPair | null = null

  /** Makes the keys of a new beam. */
  static async make(): Promise<Keyring> {
    const ring = new Keyring()
    await ring.invite(randomBytes(KEY_BYTES))
    await ring.makeKey()
    return ring
  }

  /** Makes a beam key where nobody has one. */
  async makeKey(): Promise<void> {
    const beamKey = randomBytes(KEY_BYTES)
    await this.#add(beamKey)
    this.#sealer = await Sealer.of(beamKey)
  }

  /** Whether this device has been let in. */
  get isKeyed(): boolean {
    return this.#sealer !== null
  }

  /** The secret that the link carries; null where this device came without it. */
  get secret(): Bytes | null {
    return this.#invite?.secret ?? null
  }

  /** Takes the secret of a link. */
  async invite(secret: Bytes): Promise<void> {
    this.#invite = { secret, keys: await inviteKeysOf(secret) }
  }

  /** What is kept for a later page and told to a device that joins; null before this device has been let in. */
  get shared(): SharedKeys | null {
    if (!this.#sealer || !this.#invite) return null
    const keys = [...this.#openers.values()].map(({ beamKey }) => toBase64Url(beamKey))
    return {
      keys,
      current: toBase64Url(this.#sealer.keyId),
      invite: toBase64Url(this.#invite.secret),
      hasLetIn: this.#hasLetIn,
      isDeposited: this.#isDeposited,
    }
  }

  /** The server stores the beam: from now on it may have the keys. */
  deposited(): void {
    this.#isDeposited = true
  }

  /** What is deposited with a saved beam (E9); null before this device has been let in. */
  get deposit(): Deposit | null {
    const { shared } = this
    return shared && { keys: shared.keys.slice(-MOST_DEPOSITED), current: shared.current }
  }

  /** Takes what was deposited. Returns false when it is not what it should be. */
  async withdraw({ keys, current }: Deposit): Promise<boolean> {
    const sealing = await keyNamed(current, keys.map(keyOf))
    if (!sealing) return false
    const invite = toBase64Url(this.#invite?.secret ?? (await inviteOf(sealing)))
    return this.take({ keys, current, invite, hasLetIn: true, isDeposited: true })
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

  /** What is kept of a device that has the link and was not let in yet: without it, a reload would forget that the beam is sealed. */
  get kept(): SharedKeys | null {
    const invite = this.#invite && toBase64Url(this.#invite.secret)
    const isDeposited = this.#isDeposited
    return this.shared ?? (invite ? { keys: [], current: '', invite, hasLetIn: false, isDeposited } : null)
  }

  /** Takes what was kept or told. Returns false when it is not what it should be; nothing of it is taken then. */
  async take({ keys, current, invite, hasLetIn, isDeposited }: SharedKeys): Promise<boolean> {
    const beamKeys = keys.slice(0, MOST_KEYS).map(keyOf)
    const secret = keyOf(invite)
    if (secret && keys.length === 0 && !this.#invite) await this.invite(secret)
    const sealing = await keyNamed(current, beamKeys)
    if (!secret || !sealing || beamKeys.includes(null)) return false
    for (const key of beamKeys) if (key) await this.#add(key)
    if (!this.#sealer || toBase64Url(this.#sealer.keyId) !== current) this.#sealer = await Sealer.of(sealing)
    await this.invite(secret)
    this.#hasLetIn ||= hasLetIn
    this.#isDeposited ||= isDeposited
    return true
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

  /** Begins to join. Returns null without the secret of a link. */
  async ask(): Promise<JoinRequest | null> {
    if (!this.#invite) return null
    const { keys } = this.#invite
    this.#joining ??= await joinerKeys()
    const publicKey = await publicBytes(this.#joining)
    const proof = await proofOf(keys, publicKey)
    return { id: toBase64Url(keys.id), key: toBase64Url(publicKey), proof: toBase64Url(proof) }
  }

  /** Lets a device in that proves to have the link. */
  async answer(device: string, { id, key, proof }: JoinRequest): Promise<WelcomeMessage | Refusal> {
    if (!this.shared || !this.#invite) return 'keyless'
    const keys = [this.#invite.keys, ...this.#invitesOfKeys].find((one) => toBase64Url(one.id) === id)
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
    if (!keys || !this.#invite) return false
    if (!(await this.openedWelcome(keys, me, this.#invite.keys, message))) return false
    this.#joining = null
    return true
  }

  /** Takes what a welcome tells. Returns false for one that was not made for this device, its key pair and the pre-shared key. */
  async openedWelcome(keys: CryptoKeyPair, me: string, psk: Psk, message: WelcomeMessage): Promise<boolean> {
    const sealed = sealedOf(message)
    const content = sealed && (await openWelcome(sealed, { keys, device: me }, psk))
    const shared = content && sharedIn(new TextDecoder().decode(content))
    return shared !== null && this.take(shared)
  }

  async #add(beamKey: Bytes): Promise<void> {
    const id = await keyIdOf(beamKey)
    if (this.#openers.has(id)) return
    this.#openers.set(id, new Opener(beamKey))
    this.#invitesOfKeys.push(await inviteKeysOf(await inviteOf(beamKey)))
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

function sealedOf({ encapsulated, sealed }: WelcomeMessage): Sealed | null {
  const [point, rest] = [fromBase64Url(encapsulated), fromBase64Url(sealed)]
  return point && rest && { encapsulated: point, sealed: rest }
}

/** Reads what a welcome tells. It was sealed by a device of the beam, which may be of another version. */
export function sharedIn(json: string): SharedKeys | null {
  try {
    const parsed = JSON.parse(json) as Partial<Record<keyof SharedKeys, unknown>>
    const { keys, current, invite, hasLetIn, isDeposited } = parsed
    const isRight =
      Array.isArray(keys) &&
      keys.every((key) => typeof key === 'string') &&
      typeof current === 'string' &&
      typeof invite === 'string' &&
      typeof hasLetIn === 'boolean' &&
      typeof isDeposited === 'boolean'
    return isRight ? { keys, current, invite, hasLetIn, isDeposited } : null
  } catch {
    return null
  }
}
