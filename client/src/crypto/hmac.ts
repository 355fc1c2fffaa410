/** HMAC-SHA-256 (RFC 2104). */
import { type Bytes, concat } from './bytes'

export async function hmac(secret: Bytes, ...parts: readonly Uint8Array[]): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, concat(...parts)))
}
