/** Whether what is shared in the beam can be read by the server. */
import { createStore } from 'zustand/vanilla'

export type Encryption =
  /** Nothing is sealed: no device of the beam has a key, or this page cannot seal. */
  | { readonly kind: 'clear' }
  /** It is not known yet: this device's keys are being looked for. */
  | { readonly kind: 'unknown' }
  /** This device has the link, and waits for another one to let it in. */
  | { readonly kind: 'waiting' }
  /** The beam is sealed, and this device came without its link. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'sealed' }

export function createEncryptionStore() {
  return createStore<Encryption>()(() => ({ kind: 'clear' }))
}
