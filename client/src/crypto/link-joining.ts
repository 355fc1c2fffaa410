/** The way in by a link (E6): a device with its secret asks, and one that is in answers. */
import { fromBase64Url, toBase64Url } from './bytes'
import { isProof, proofOf } from './invite'
import type { Keyring } from './keyring'
import { toldBy, type WelcomeMessage, welcomeWith } from './state-welcome'
import { joinerKeys, publicBytes } from './welcome'

/** What a device with the link asks another to be let in with. All are base64url. */
export interface JoinRequest {
  readonly id: string
  readonly key: string
  readonly proof: string
}

/** Why a device lets nobody in: the proof is wrong, or it has no key itself. */
export type Refusal = 'proof' | 'keyless'

export class LinkJoining {
  /** Made for one join, and void once a device has let this one in: a late answer of one that was asked before still opens. */
  #joining: CryptoKeyPair | null = null

  constructor(readonly ring: Keyring) {}

  /** Begins to join. Returns null without the secret of a link. */
  async ask(): Promise<JoinRequest | null> {
    const { link } = this.ring
    if (!link) return null
    this.#joining ??= await joinerKeys()
    const publicKey = await publicBytes(this.#joining)
    const proof = await proofOf(link.keys, publicKey)
    return { id: toBase64Url(link.keys.id), key: toBase64Url(publicKey), proof: toBase64Url(proof) }
  }

  /** Lets a device in that proves to have the link. */
  async answer(device: string, { id, key, proof }: JoinRequest): Promise<WelcomeMessage | Refusal> {
    // Both of the same moment: by an invite of before, nobody gets the keys of now.
    const [shared, invite] = [this.ring.shared, this.ring.inviteNamed(id)]
    if (!shared) return 'keyless'
    const [publicKey, shown] = [fromBase64Url(key), fromBase64Url(proof)]
    if (!publicKey || !shown || !invite) return 'proof'
    if (!(await isProof(invite, publicKey, shown))) return 'proof'
    this.ring.letsIn()
    const welcome = await welcomeWith(shared, { publicKey, device }, invite)
    // One that proves to have the link may still have a key that is no point of the curve, or the link is one of before by now.
    return welcome && this.ring.inviteNamed(id) ? welcome : 'proof'
  }

  /**
   * Takes the answer to an `ask`.
   * @param me this device's id
   * @returns whether this device has been let in by it
   */
  async welcomed(me: string, message: WelcomeMessage): Promise<boolean> {
    const [keys, { link }] = [this.#joining, this.ring]
    if (!keys || !link) return false
    const told = await toldBy(message, { keys, device: me }, link.keys)
    if (!told || !(await this.ring.welcomed(told, link))) return false
    this.#joining = null
    return true
  }
}
