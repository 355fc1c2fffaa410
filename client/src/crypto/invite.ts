/** The invite secret of a beam, which is in its link behind `#k=` and never sent, and what a joiner proves with it. */
import { type Bytes, isEqual, utf8 } from './bytes'
import { derive } from './hkdf'
import { hmac } from './hmac'

const SECRET_BYTES = 32
const ID_BYTES = 8

/** What follows of an invite secret. */
export interface InviteKeys {
  /** Names the invite, so that a device knows which of its invites a joiner has. */
  readonly id: Bytes
  /** Proves that who joins has the link. */
  readonly mac: Bytes
  /** Without it the answer to a joiner does not open. */
  readonly psk: Bytes
}

export async function inviteKeysOf(secret: Bytes): Promise<InviteKeys> {
  const of = (use: string, count: number) => derive(secret, `beam-e2e/1 ${use}`, count)
  const [id, mac, psk] = await Promise.all([
    of('invite-id', ID_BYTES),
    of('join-mac', SECRET_BYTES),
    of('join-psk', SECRET_BYTES),
  ])
  return { id, mac, psk }
}

/** Returns what proves that the owner of a public key has the link. */
export async function proofOf({ mac }: InviteKeys, publicKey: Uint8Array): Promise<Bytes> {
  return hmac(mac, utf8('join'), publicKey)
}

/**
 * Whether a proof is right. It is checked before anything is sealed for the key: else a server that put in its own could open
 * what was sealed once the link has leaked.
 */
export async function isProof(keys: InviteKeys, publicKey: Uint8Array, proof: Uint8Array): Promise<boolean> {
  return isEqual(await proofOf(keys, publicKey), proof)
}
