/**
 * Lets devices in that came without the link (E8): commit, accept, reveal, and then a welcome under what the two have in common.
 * A joiner does it with every device of the beam at once, and a device with every joiner.
 */
import { type Bytes, fromBase64Url, isEqual, randomBytes, toBase64Url } from './bytes'
import { type Compared, commitmentOf, compare, isCommitted, type Share } from './comparing'
import type { Keyring } from './keyring'
import { toldBy, type WelcomeMessage, welcomeWith } from './state-welcome'
import { joinerKeys, publicBytes } from './welcome'

/** What one device gives to a comparison, as it goes over the wire. Both are base64url. */
export interface ShareMessage {
  readonly key: string
  readonly nonce: string
}

/** The answer to a joiner that begins. */
export interface Accepted {
  readonly share: ShareMessage
  /** Whether it is another one than the joiner was given before: then what both show is another chance to guess. */
  readonly isNew: boolean
}

/** One side of a comparison. */
interface Mine {
  readonly keys: CryptoKeyPair
  readonly share: Share
}

/** A joiner, as a device of the beam knows it. */
interface Joiner extends Mine {
  readonly commitment: Bytes
  /** Known once it has revealed its share. */
  readonly found?: { readonly share: Share; readonly compared: Compared }
}

const NONCE_BYTES = 32
/** Joiners that a device remembers: as many as a beam has devices. */
const MOST_JOINERS = 100

export class Comparisons {
  /** What this device, as a joiner, has begun with each device of the beam. */
  readonly #begun = new Map<string, Mine & { readonly found?: { member: Share; compared: Compared } }>()
  readonly #joiners = new Map<string, Joiner>()

  constructor(readonly ring: Keyring) {}

  /**
   * Begins to join by a device, over each socket with the same: pictures that change could be made to change until they are right.
   * @param beam the 16 bytes of the beam's id
   * @returns the commitment, as base64url
   */
  async commit(beam: Bytes, device: string): Promise<string> {
    const made = this.#begun.get(device) ?? (await newSide())
    // It may have begun meanwhile over a socket that came after.
    const mine = this.#begun.get(device) ?? made
    this.#begun.set(device, mine)
    return toBase64Url(await commitmentOf(beam, mine.share))
  }

  /**
   * A joiner begins, or says again what it has said over a socket that is gone.
   * @param mayBegin whether it may, if it has not begun so
   * @returns null for what is no commitment, and for a joiner that may not
   */
  async accept(device: string, commitment: string, mayBegin = true): Promise<Accepted | null> {
    const committed = fromBase64Url(commitment)
    const begun = this.#joiners.get(device)
    if (committed && begun && isEqual(begun.commitment, committed))
      return { share: messageOf(begun.share), isNew: false }
    if (!committed || !mayBegin) return null
    const mine = await newSide()
    this.#joiners.delete(device)
    this.#joiners.set(device, { ...mine, commitment: committed })
    for (const oldest of [...this.#joiners.keys()].slice(0, -MOST_JOINERS)) this.#joiners.delete(oldest)
    return { share: messageOf(mine.share), isNew: true }
  }

  /**
   * The device has accepted. Returns what this one reveals, and what both show; null for what is no share, or another one than that
   * device has given before.
   */
  async reveal(
    beam: Bytes,
    device: string,
    message: ShareMessage,
  ): Promise<{ readonly share: ShareMessage; readonly signs: readonly number[] } | null> {
    const mine = this.#begun.get(device)
    const member = shareOf(message)
    if (!mine || !member) return null
    // What it has accepted first counts: else it could choose what this device shows.
    if (mine.found && !isSame(mine.found.member, member)) return null
    try {
      const shares = { joiner: mine.share, member }
      const compared = await compare(beam, shares, mine.keys.privateKey, member.publicKey)
      this.#begun.set(device, { ...mine, found: { member, compared } })
      return { share: messageOf(mine.share), signs: compared.signs }
    } catch {
      return null
    }
  }

  /** A joiner has revealed its share. Returns what both show; null where it is not what it has committed itself to. */
  async revealed(beam: Bytes, device: string, message: ShareMessage): Promise<readonly number[] | null> {
    const begun = this.#joiners.get(device)
    const joiner = shareOf(message)
    if (!begun || !joiner) return null
    if (begun.found) return isSame(begun.found.share, joiner) ? begun.found.compared.signs : null
    if (!(await isCommitted(beam, joiner, begun.commitment))) return null
    try {
      const shares = { joiner, member: begun.share }
      const compared = await compare(beam, shares, begun.keys.privateKey, joiner.publicKey)
      this.#joiners.set(device, { ...begun, found: { share: joiner, compared } })
      return compared.signs
    } catch {
      return null
    }
  }

  /**
   * Returns the welcome of a joiner; null for one that has not revealed its share, or shows other signs than these.
   * @param isCompared whether a person has compared them. One that nobody has compared is let in only where no device was before.
   */
  async letIn(device: string, signs: readonly number[], isCompared: boolean): Promise<WelcomeMessage | null> {
    const found = this.#joiners.get(device)?.found
    this.#joiners.delete(device)
    const { ring } = this
    const { shared } = ring
    if (!shared || found?.compared.signs.join() !== signs.join()) return null
    // Nothing is awaited from here on: of two that come at once, only one is the first.
    if (!isCompared && shared.hasLetIn) return null
    ring.letsIn()
    if (isCompared) ring.unverified.compare([device])
    else ring.unverified.add([device])
    const told = { ...shared, unverified: ring.unverified.ids }
    return welcomeWith(told, { publicKey: found.share.publicKey, device }, found.compared.psk)
  }

  /** Ends what a joiner has begun. */
  forget(device: string): void {
    this.#joiners.delete(device)
    this.#begun.delete(device)
  }

  /** Takes the welcome of a device. Returns what both showed; null where this device has not been let in by it. */
  async welcomed(
    me: string,
    device: string,
    message: WelcomeMessage,
    here: readonly string[] = [me],
  ): Promise<readonly number[] | null> {
    const begun = this.#begun.get(device)
    if (!begun?.found) return null
    const { psk, signs } = begun.found.compared
    const told = await toldBy(message, { keys: begun.keys, device: me }, psk)
    return told !== null && (await this.ring.welcomed(told, null, here)) ? signs : null
  }
}

async function newSide(): Promise<Mine> {
  const keys = await joinerKeys()
  return { keys, share: { publicKey: await publicBytes(keys), nonce: randomBytes(NONCE_BYTES) } }
}

function isSame(one: Share, other: Share): boolean {
  return isEqual(one.publicKey, other.publicKey) && isEqual(one.nonce, other.nonce)
}

function messageOf({ publicKey, nonce }: Share): ShareMessage {
  return { key: toBase64Url(publicKey), nonce: toBase64Url(nonce) }
}

function shareOf({ key, nonce }: ShareMessage): Share | null {
  const [publicKey, random] = [fromBase64Url(key), fromBase64Url(nonce)]
  return publicKey && random?.byteLength === NONCE_BYTES ? { publicKey, nonce: random } : null
}
