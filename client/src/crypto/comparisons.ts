/**
 * Lets devices in that came without the link (E8): commit, accept, reveal, and then a welcome under what the two have in common.
 * A joiner does it with every device of the beam at once, and a device with every joiner.
 */
import { type Bytes, fromBase64Url, randomBytes, toBase64Url } from './bytes'
import { type Compared, commitmentOf, compare, isCommitted, type Share } from './comparing'
import type { Keyring } from './keyring'
import { toldBy, type WelcomeMessage, welcomeWith } from './state-welcome'
import { joinerKeys, publicBytes } from './welcome'

/** What one device gives to a comparison, as it goes over the wire. Both are base64url. */
export interface ShareMessage {
  readonly key: string
  readonly nonce: string
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
  readonly found?: { readonly publicKey: Bytes; readonly compared: Compared }
}

const NONCE_BYTES = 32
/** Joiners that a device answers at a time: as many as a beam has devices. */
const MOST_JOINERS = 100

export class Comparisons {
  /** What this device, as a joiner, has begun with each device of the beam. */
  readonly #begun = new Map<string, Mine & { readonly compared?: Compared }>()
  readonly #joiners = new Map<string, Joiner>()

  constructor(readonly ring: Keyring) {}

  /**
   * Begins to join by a device.
   * @param beam the 16 bytes of the beam's id
   * @returns the commitment, as base64url
   */
  async commit(beam: Bytes, device: string): Promise<string> {
    const mine = await newSide()
    this.#begun.set(device, mine)
    return toBase64Url(await commitmentOf(beam, mine.share))
  }

  /** A joiner begins, perhaps anew. Returns null for what is no commitment, and while too many others have begun. */
  async accept(device: string, commitment: string): Promise<ShareMessage | null> {
    const committed = fromBase64Url(commitment)
    if (!committed || (this.#joiners.size >= MOST_JOINERS && !this.#joiners.has(device))) return null
    const mine = await newSide()
    this.#joiners.set(device, { ...mine, commitment: committed })
    return messageOf(mine.share)
  }

  /** The device has accepted. Returns what this one reveals, and what both show; null for what is no share. */
  async reveal(
    beam: Bytes,
    device: string,
    message: ShareMessage,
  ): Promise<{ readonly share: ShareMessage; readonly signs: readonly number[] } | null> {
    const mine = this.#begun.get(device)
    const member = shareOf(message)
    // What it has accepted first counts: else it could choose what this device shows.
    if (!mine || mine.compared || !member) return null
    try {
      const shares = { joiner: mine.share, member }
      const compared = await compare(beam, shares, mine.keys.privateKey, member.publicKey)
      this.#begun.set(device, { ...mine, compared })
      return { share: messageOf(mine.share), signs: compared.signs }
    } catch {
      return null
    }
  }

  /** A joiner has revealed its share. Returns what both show; null where it is not what it has committed itself to. */
  async revealed(beam: Bytes, device: string, message: ShareMessage): Promise<readonly number[] | null> {
    const begun = this.#joiners.get(device)
    const joiner = shareOf(message)
    if (!begun || begun.found || !joiner) return null
    if (!(await isCommitted(beam, joiner, begun.commitment))) return null
    try {
      const shares = { joiner, member: begun.share }
      const compared = await compare(beam, shares, begun.keys.privateKey, joiner.publicKey)
      this.#joiners.set(device, { ...begun, found: { publicKey: joiner.publicKey, compared } })
      return compared.signs
    } catch {
      return null
    }
  }

  /** Returns the welcome of a joiner; null for one that has not revealed its share, or shows other signs than these. */
  async letIn(device: string, signs: readonly number[]): Promise<WelcomeMessage | null> {
    const found = this.#joiners.get(device)?.found
    this.#joiners.delete(device)
    const { shared } = this.ring
    if (!shared || found?.compared.signs.join() !== signs.join()) return null
    // Before anything is awaited: of two that come at once, only one is the first.
    this.ring.letsIn()
    return welcomeWith(shared, { publicKey: found.publicKey, device }, found.compared.psk)
  }

  /** Ends what a joiner has begun. */
  forget(device: string): void {
    this.#joiners.delete(device)
    this.#begun.delete(device)
  }

  /** Takes the welcome of a device. Returns whether this device has been let in by it. */
  async welcomed(me: string, device: string, message: WelcomeMessage): Promise<boolean> {
    const begun = this.#begun.get(device)
    if (!begun?.compared) return false
    const told = await toldBy(message, { keys: begun.keys, device: me }, begun.compared.psk)
    return told !== null && this.ring.welcomed(told, null)
  }
}

async function newSide(): Promise<Mine> {
  const keys = await joinerKeys()
  return { keys, share: { publicKey: await publicBytes(keys), nonce: randomBytes(NONCE_BYTES) } }
}

function messageOf({ publicKey, nonce }: Share): ShareMessage {
  return { key: toBase64Url(publicKey), nonce: toBase64Url(nonce) }
}

function shareOf({ key, nonce }: ShareMessage): Share | null {
  const [publicKey, random] = [fromBase64Url(key), fromBase64Url(nonce)]
  return publicKey && random?.byteLength === NONCE_BYTES ? { publicKey, nonce: random } : null
}
