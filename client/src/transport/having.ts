/** What this device has of the keys of a beam, as the page is told. */
import { toBase64Url } from '../crypto/bytes'
import type { Header } from '../crypto/envelope'
import type { Keyring } from '../crypto/keyring'
import type { DeviceId } from '../protocol/bindings'
import type { KeysWent } from './own-vault'

/** What this device has of a beam. */
export interface Having {
  /** Whether it can seal and open. */
  readonly isKeyed: boolean
  /** Whether a device was ever let in besides the one that made the beam. */
  readonly hasLetIn: boolean
  /** Whether the server may have the keys. */
  readonly isDeposited: boolean
  /** Whether it deposits the keys of a saved beam (E9). */
  readonly deposits: boolean
  /** The id of the key that seals, as base64url, which every envelope tells too; null where there is none. */
  readonly current: string | null
  /** The secret that the link carries, as base64url; null where it is not known here. */
  readonly invite: string | null
  /** Whether the person opened a link whose keys this device does not have yet, though it is in. */
  readonly hasOtherLink: boolean
  /** The devices that were removed, and without which this one has changed the keys itself. */
  readonly shutOut: readonly DeviceId[]
  /** The devices that were removed and may have them, as where two were removed at once: new ones are to be made. */
  readonly uncovered: readonly DeviceId[]
  /** The devices that were let in without the link and that nobody has compared. This one may be among them. */
  readonly unverified: readonly DeviceId[]
}

/** What this device has after a welcome. */
export interface Welcomed extends Having {
  /** Whether anything of that welcome was taken. */
  readonly isTaken: boolean
  /** What this device and the one that let it in have shown; null where that was by the link, or not at all. */
  readonly signs: readonly number[] | null
}

/** What this device has of a beam that the server stores. */
export interface Stored extends Having {
  /** Whether the keys that count may lie there, also where this device has some. */
  readonly mayBeNewer: boolean
}

/** What this device has once it has looked where the keys of a saved beam lie. */
export interface Withdrawn extends Having {
  /** Whether some lie in vaults: the beam is sealed then, also where this device cannot take them. */
  readonly isInVaults: boolean
}

/** What this device has after a deposit. */
export interface Deposited extends Having {
  /**
   * Where the keys went, or `exposed` where new ones are to be made before they go into vaults. With `not-yet`, those who may read the beam
   * do not find them: they are to be deposited again.
   */
  readonly went: KeysWent['go']
}

/**
 * Whether there are new keys of a saved beam: `made`, where they are to be deposited yet; `hidden`, where the beam is not sealed or others
 * change its keys, or the server does not show that it is otherwise.
 */
export type Rekeyed = 'done' | 'made' | 'hidden'

export type OpenedText =
  | { readonly is: 'open'; readonly header: Header; readonly text: string }
  /** It is under a key that is not here. */
  | { readonly is: 'unknown' }
  /** It is under a key of before, and counts no more. */
  | { readonly is: 'past' }
  | { readonly is: 'broken' }

export function havingOf(ring: Keyring): Having {
  return {
    isKeyed: ring.isKeyed,
    hasLetIn: ring.kept?.hasLetIn ?? false,
    isDeposited: ring.saved.isDeposited,
    deposits: ring.saved.deposits,
    current: ring.currentId,
    invite: ring.secret && toBase64Url(ring.secret),
    hasOtherLink: ring.hasOtherLink,
    shutOut: ring.devices.shutOut as readonly DeviceId[],
    uncovered: ring.uncovered as readonly DeviceId[],
    unverified: ring.unverified.ids as readonly DeviceId[],
  }
}
