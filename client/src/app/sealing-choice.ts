/** Whether this page seals what it shares. */
import { newFileSeal } from '../crypto/file-keys'
import type { FileSeal } from '../protocol/item'
import { mayBeSealed } from '../stores/encryption'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'

/** Sealing is being built: a browser has to be told to. Plain http from another machine has no WebCrypto. */
export function isSealing(): boolean {
  return browserStorage.getItem('encryption') === 'on' && globalThis.crypto?.subtle !== undefined
}

/** Returns what makes the seal of a file that is shared now; undefined where the beam is not sealed. */
export function sealsFor({ encryption }: Pick<Stores, 'encryption'>): () => FileSeal | undefined {
  return () => (mayBeSealed(encryption.getState()) ? newFileSeal() : undefined)
}
