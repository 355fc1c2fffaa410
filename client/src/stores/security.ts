/** What may be said of how well the content of the beam is kept from others. It must be true in every state. */
import { type ClearCopiesState, takersOfCopies } from './clear-copies'
import { type DevicesState, seals } from './devices'
import type { Encryption } from './encryption'
import type { Trust, TrustState } from './trust'

export type Security =
  /** Nothing: it is not known yet, or this page does not seal, or the server may have the keys (E9). */
  | { readonly is: 'unsaid' }
  /** Everything goes out sealed, and every device that was let in came by the link or was compared. */
  | { readonly is: 'sealed'; readonly devices: number }
  /** Everything goes out sealed, and of a device that was let in nobody knows whether it is the right one. */
  | { readonly is: 'unverified' }
  /** The beam is sealed, and this device has no key of it. `isLinkOld`: its link opens nothing any more. */
  | { readonly is: 'waiting'; readonly isLinkOld: boolean }
  /** The server can read what is shared here. */
  | { readonly is: 'clear' }

/** What is known, of which the worst counts. */
export interface Known {
  readonly encryption: Encryption
  readonly trust: Pick<TrustState, 'devices'>
  readonly devices: Pick<DevicesState, 'devices' | 'me'>
  readonly clearCopies: ClearCopiesState
}

export function securityOf({ encryption, trust, devices, clearCopies }: Known): Security {
  switch (encryption.kind) {
    case 'off':
    case 'unknown':
      return { is: 'unsaid' }
    case 'clear':
    case 'insecure':
      return { is: 'clear' }
    case 'waiting':
      return { is: 'waiting', isLinkOld: encryption.isLinkOld }
    case 'locked':
      return { is: 'waiting', isLinkOld: false }
    case 'sealed': {
      if (takersOfCopies(clearCopies, devices).length > 0) return { is: 'clear' }
      // Also one that is not here any more: it has the keys.
      if (Object.values(trust.devices).some(isToCompare)) return { is: 'unverified' }
      if (encryption.isDeposited) return { is: 'unsaid' }
      // A plain device is none of those that can read it, nor is one that was not let in.
      const readers = devices.devices.filter(
        (device) => seals(device) && trust.devices[device.device_id]?.state !== 'refused',
      )
      return { is: 'sealed', devices: Math.max(1, readers.length) }
    }
  }
}

function isToCompare({ state }: Trust): boolean {
  return state === 'asking' || state === 'unverified'
}
