/** HKDF-SHA-256 (RFC 5869). */
import { type Bytes, concat, utf8 } from './bytes'

const NO_SALT = new Uint8Array(0)
/** Bytes of SHA-256. */
const HASH_BYTES = 32

/** Derives so many bytes of a secret. `info` says what they are for, so that no two uses have the same bytes. */
export async function derive(secret: Bytes, info: string, count: number, salt = NO_SALT): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const params = { name: 'HKDF', hash: 'SHA-256', salt, info: utf8(info) }
  return new Uint8Array(await crypto.subtle.deriveBits(params, key, count * 8))
}

/** The second half of HKDF alone, for a secret that is uniformly random already (RFC 5869, sections 2.3 and 3.3). */
export async function expand(secret: Bytes, info: Uint8Array, count: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  let whole: Bytes = new Uint8Array(0)
  let block: Bytes = new Uint8Array(0)
  for (let turn = 1; turn <= Math.ceil(count / HASH_BYTES); turn += 1) {
    const message = concat(block, info, Uint8Array.of(turn))
    block = new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
    whole = concat(whole, block)
  }
  return whole.slice(0, count)
}
