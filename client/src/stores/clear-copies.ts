/** The plain devices of the beam (S3) to which a person also sends in clear text what is shared on this device (E12). */
import { createStore } from 'zustand/vanilla'
import type { Device, DeviceId } from '../protocol/bindings'
import { type DevicesState, seals } from './devices'
import type { Encryption } from './encryption'
import { isOutside, type TrustState } from './trust'

export interface ClearCopiesState {
  /** Those that were chosen. One that comes back under another id is asked about anew. */
  readonly to: ReadonlySet<DeviceId>
  /**
   * Those that were chosen under an id of the beam that another tab has left: they are sent nothing more, and what they were sent goes on,
   * until this page follows and knows what is chosen there.
   */
  readonly before?: ReadonlySet<DeviceId>
}

/** Returns the devices that get copies now: those that were chosen, are here, and do not seal. */
export function takersOfCopies(
  { to }: ClearCopiesState,
  { devices, me }: Pick<DevicesState, 'devices' | 'me'>,
): readonly Device[] {
  return devices.filter((device) => device.device_id !== me && !seals(device) && to.has(device.device_id))
}

/** Returns the mark of an item that is shared now, or with what was chosen before: to whom it also goes in clear text. */
export function inClearTo(devices: Iterable<DeviceId>): { readonly inClearTo?: readonly DeviceId[] } {
  const chosen = [...devices]
  return chosen.length > 0 ? { inClearTo: chosen } : {}
}

/** Who can read what is shared in the beam. */
interface Reading {
  readonly encryption: Encryption
  readonly clearCopies: ClearCopiesState
  readonly trust: Pick<TrustState, 'devices'>
}

/** Whether an item may be sent to this device alone: one that could not open it gets it in clear text, where a person wants that. */
export function maySendTo(device: Device, { encryption, clearCopies, trust }: Reading): boolean {
  if (encryption.kind !== 'sealed' || clearCopies.to.has(device.device_id)) return true
  return seals(device) && !isOutside(trust, device.device_id)
}

export function createClearCopiesStore() {
  return createStore<ClearCopiesState>()(() => ({ to: new Set() }))
}
