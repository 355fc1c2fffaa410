/**
 * Seals what this browser keeps of a beam, under a key that never leaves the browser's hands: who copies the tables from the
 * disk's files has the key's bytes only where the browser itself keeps them in clear.
 */
import { type Bytes, concat, randomBytes, utf8 } from './bytes'

const NONCE_BYTES = 12

export function makeDeviceKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** @param about what it belongs to, without which it does not open */
export async function sealForDevice(key: CryptoKey, about: string, content: string): Promise<Bytes> {
  const iv = randomBytes(NONCE_BYTES)
  const params = { name: 'AES-GCM', iv, additionalData: utf8(about) }
  return concat(iv, new Uint8Array(await crypto.subtle.encrypt(params, key, utf8(content))))
}

/** Returns null for what was sealed under another key, about something else, or was changed. */
export async function openForDevice(key: CryptoKey, about: string, sealed: Bytes): Promise<string | null> {
  const params = { name: 'AES-GCM', iv: sealed.slice(0, NONCE_BYTES), additionalData: utf8(about) }
  try {
    const content = await crypto.subtle.decrypt(params, key, sealed.slice(NONCE_BYTES))
    return new TextDecoder().decode(content)
  } catch {
    return null
  }
}
