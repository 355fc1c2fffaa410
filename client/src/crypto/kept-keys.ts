/**
 * The keys of a beam that the server keeps, sealed under the secret of its link (E10): else whoever opens the link after all devices
 * have left could read nothing of what was kept.
 */
import { type Bytes, concat, randomBytes, utf8 } from './bytes'
import { derive } from './hkdf'

const NONCE_BYTES = 12
const KEY_BYTES = 32

export async function sealKept(invite: Bytes, content: string): Promise<Bytes> {
  const iv = randomBytes(NONCE_BYTES)
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    await keyOf(invite, 'encrypt'),
    utf8(content),
  )
  return concat(iv, new Uint8Array(sealed))
}

/** Returns null for what was sealed under another secret, or was changed. */
export async function openKept(invite: Bytes, sealed: Bytes): Promise<string | null> {
  const iv = sealed.slice(0, NONCE_BYTES)
  try {
    const key = await keyOf(invite, 'decrypt')
    const content = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed.slice(NONCE_BYTES))
    return new TextDecoder().decode(content)
  } catch {
    return null
  }
}

async function keyOf(invite: Bytes, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  const bytes = await derive(invite, 'beam-e2e/1 kept', KEY_BYTES)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [use])
}
