/** Whether this page seals what it shares. */
import { newFileSeal } from '../crypto/file-keys'
import type { FileSeal } from '../protocol/item'
import { mayBeSealed } from '../stores/encryption'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'

export function isSealing(): boolean {
  return isSwitchedOn() && hasWebCrypto()
}

/** Whether this page would seal and cannot, because it came without https from another machine: it is a plain client then. */
export function isInsecure(): boolean {
  return isSwitchedOn() && !hasWebCrypto()
}

/** A browser can be told not to seal, for tests that compare. */
function isSwitchedOn(): boolean {
  return browserStorage.getItem('encryption') !== 'off'
}

function hasWebCrypto(): boolean {
  return globalThis.crypto?.subtle !== undefined
}

/** Returns what makes the seal of a file that is shared now; undefined where the beam is not sealed. */
export function sealsFor({ encryption }: Pick<Stores, 'encryption'>): () => FileSeal | undefined {
  return () => (mayBeSealed(encryption.getState()) ? newFileSeal() : undefined)
}
