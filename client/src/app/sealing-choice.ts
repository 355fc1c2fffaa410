/** Whether this page seals what it shares. */
import { browserStorage } from '../stores/site-storage'

/** Sealing is being built: a browser has to be told to. Plain http from another machine has no WebCrypto. */
export function isSealing(): boolean {
  return browserStorage.getItem('encryption') === 'on' && globalThis.crypto?.subtle !== undefined
}
