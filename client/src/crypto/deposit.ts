/**
 * The keys of a saved beam as they are deposited with the server (E9). The server can read them; it must not make them up for a device
 * that has the link, or it would read what that device shares in a beam which nobody has saved.
 */
import { type Bytes, fromBase64Url, isEqual, toBase64Url, utf8 } from './bytes'
import { inviteOf, KEY_BYTES, keyOf } from './current-keys'
import { derive } from './hkdf'
import { hmac } from './hmac'
import type { SharedKeys } from './shared-keys'

/** All are base64url. */
export interface Deposit extends Pick<SharedKeys, 'keys' | 'current'> {
  /** Made with the secret of the link; null by a device that does not know it. */
  readonly proof: string | null
}

type Keys = Pick<Deposit, 'keys' | 'current'>

/** Returns null for what are no keys. */
export async function depositProof(secret: Bytes, { keys, current }: Keys): Promise<Bytes | null> {
  const parts = [fromBase64Url(current), ...keys.map(keyOf)].filter((part) => part !== null)
  if (parts.length <= keys.length) return null
  return hmac(await derive(secret, 'beam-e2e/1 deposit-mac', KEY_BYTES), utf8('deposit'), ...parts)
}

/** Whether a link was made of the key that seals, as by who does not know the other one. */
export async function namesKey(sealing: Bytes, secret: Bytes): Promise<boolean> {
  return isEqual(await inviteOf(sealing), secret)
}

/**
 * Whether who deposited the keys had the link.
 * @param sealing the key that seals
 * @param secret of the link
 */
export async function isProven(deposit: Deposit, sealing: Bytes, secret: Bytes): Promise<boolean> {
  if (await namesKey(sealing, secret)) return true
  const [right, shown] = [await depositProof(secret, deposit), fromBase64Url(deposit.proof ?? '')]
  return right !== null && shown !== null && isEqual(right, shown)
}

export function isSameKeys(one: Keys, other: Keys): boolean {
  return one.current === other.current && one.keys.join() === other.keys.join()
}

/** Returns a deposit of these keys. */
export async function depositOf(secret: Bytes | null, { keys, current }: Keys): Promise<Deposit> {
  const proof = secret && (await depositProof(secret, { keys, current }))
  return { keys, current, proof: proof && toBase64Url(proof) }
}
