/** Whether what is shared in the beam can be read by the server. */
import { createStore } from 'zustand/vanilla'

export type Encryption =
  /** This page seals nothing, and says nothing of it. */
  | { readonly kind: 'off' }
  /**
   * This page would seal, and cannot: a browser has no WebCrypto on a page that came without https. `isShutOut`: the beam is
   * known to be sealed, so the page stays out of it.
   */
  | { readonly kind: 'insecure'; readonly isShutOut: boolean }
  /** Nothing is sealed: no device of the beam seals. */
  | { readonly kind: 'clear' }
  /** It is not known yet: this device's keys are being looked for. `isSuspected`: something says that the beam is sealed, such as its link. */
  | { readonly kind: 'unknown'; readonly isSuspected: boolean }
  /**
   * This device has the link, and waits for another one to let it in. `isLinkOld`: those that are here say that the link is none of
   * this beam any more.
   */
  | { readonly kind: 'waiting'; readonly isLinkOld: boolean }
  /**
   * The beam is sealed, or may be, and this device came without its link. `isSuspected`: something says that it is sealed.
   * `mayShareClear`: nobody has let this device in for a while, and its person may choose to share in clear text.
   */
  | { readonly kind: 'locked'; readonly isSuspected: boolean; readonly mayShareClear: boolean }
  /** `isDeposited`: the server may have the keys, because the beam is or was saved (E9). */
  | { readonly kind: 'sealed'; readonly isDeposited: boolean }

/** Whether what is shared now may go out sealed. It goes out once that is known. */
export function mayBeSealed({ kind }: Encryption): boolean {
  return kind !== 'off' && kind !== 'insecure' && kind !== 'clear'
}

/** Whether what is shared now stays here until this device has the keys, or it is known that the beam has none. That may take days. */
export function waitsForKeys({ kind }: Encryption): boolean {
  return kind === 'unknown' || kind === 'waiting' || kind === 'locked'
}

/** Whether the beam is sealed, or something says so, also to a device that nobody has let in yet, or that looks for its keys. */
export function looksSealed(encryption: Encryption): boolean {
  if (encryption.kind === 'locked' || encryption.kind === 'unknown') return encryption.isSuspected
  return encryption.kind === 'sealed' || encryption.kind === 'waiting'
}

export function createEncryptionStore() {
  return createStore<Encryption>()(() => ({ kind: 'off' }))
}
