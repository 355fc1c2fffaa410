/** Whether what is shared in the beam can be read by the server. */
import { createStore } from 'zustand/vanilla'

export type Encryption =
  /** This page seals nothing, and says nothing of it. */
  | { readonly kind: 'off' }
  /** Nothing is sealed: no device of the beam seals. */
  | { readonly kind: 'clear' }
  /** It is not known yet: this device's keys are being looked for. */
  | { readonly kind: 'unknown' }
  /** This device has the link, and waits for another one to let it in. */
  | { readonly kind: 'waiting' }
  /** The beam is sealed, and this device came without its link. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'sealed' }

/** Whether what is shared now may go out sealed. It goes out once that is known. */
export function mayBeSealed({ kind }: Encryption): boolean {
  return kind !== 'off' && kind !== 'clear'
}

export function createEncryptionStore() {
  return createStore<Encryption>()(() => ({ kind: 'off' }))
}
