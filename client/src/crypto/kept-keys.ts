/**
 * The keys of a beam that the server keeps, sealed under the secret of its link (E10): else whoever opens the link after all devices
 * have left could read nothing of what was kept.
 */
import { openBox, sealBox } from './box'
import type { Bytes } from './bytes'
import { derive } from './hkdf'

const KEY_BYTES = 32

export async function sealKept(invite: Bytes, content: string): Promise<Bytes> {
  return sealBox(await keyOf(invite), content)
}

/** Returns null for what was sealed under another secret, or was changed. */
export async function openKept(invite: Bytes, sealed: Bytes): Promise<string | null> {
  return openBox(await keyOf(invite), sealed)
}

async function keyOf(invite: Bytes): Promise<CryptoKey> {
  const bytes = await derive(invite, 'beam-e2e/1 kept', KEY_BYTES)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
