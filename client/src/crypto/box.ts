/** Seals a text under a key, with a random nonce before it: for what is sealed seldom, and is no message of a beam. AES-256-GCM. */
import { type Bytes, concat, randomBytes, utf8 } from './bytes'

const NONCE_BYTES = 12

/** @param about what it belongs to, without which it does not open */
export async function sealBox(key: CryptoKey, content: string, about = ''): Promise<Bytes> {
  const iv = randomBytes(NONCE_BYTES)
  const params = { name: 'AES-GCM', iv, additionalData: utf8(about) }
  return concat(iv, new Uint8Array(await crypto.subtle.encrypt(params, key, utf8(content))))
}

/** Returns null for what was sealed under another key, about something else, or was changed. */
export async function openBox(key: CryptoKey, sealed: Bytes, about = ''): Promise<string | null> {
  const params = { name: 'AES-GCM', iv: sealed.slice(0, NONCE_BYTES), additionalData: utf8(about) }
  try {
    const content = await crypto.subtle.decrypt(params, key, sealed.slice(NONCE_BYTES))
    return new TextDecoder().decode(content)
  } catch {
    return null
  }
}
