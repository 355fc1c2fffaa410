/** The devices in the beam, and the way to each. */
import { t } from '@lingui/core/macro'
import { createStore } from 'zustand/vanilla'
import type { Device, DeviceId } from '../protocol/bindings'

/** The way to a device. */
export type Path = 'direct' | 'turn' | 'relay'

export interface DevicesState {
  /** This device; null before the first welcome. */
  readonly me: DeviceId | null
  /** In the order in which they joined, this one included. */
  readonly devices: readonly Device[]
  /** By device. Absent for this device, for plain ones, and while no link is open yet. */
  readonly paths: Readonly<Record<DeviceId, Path>>
  /**
   * Every device seen in this beam, so that a transfer that waits for one that left can still name it. Equal names have
   * numbers, the same on every device.
   */
  readonly names: Readonly<Record<DeviceId, string>>
}

export type DevicesEvent =
  | { type: 'welcomed'; me: DeviceId }
  | { type: 'listed'; devices: readonly Device[] }
  | { type: 'path'; device: DeviceId; path: Path | null }
  | { type: 'left' }

const EMPTY: DevicesState = { me: null, devices: [], paths: {}, names: {} }

/** Applies an event to the devices. */
export function reduceDevices(state: DevicesState, event: DevicesEvent): DevicesState {
  switch (event.type) {
    case 'welcomed':
      return { ...state, me: event.me }
    case 'listed':
      return { ...state, devices: event.devices, names: { ...state.names, ...namesOf(event.devices) } }
    case 'path': {
      const { [event.device]: _old, ...others } = state.paths
      return { ...state, paths: event.path ? { ...others, [event.device]: event.path } : others }
    }
    case 'left':
      return EMPTY
  }
}

/** Numbers equal names by the order in which the devices joined: `Chrome on Linux`, `Chrome on Linux 2`. */
function namesOf(devices: readonly Device[]): Record<DeviceId, string> {
  const seen = new Map<string, number>()
  return Object.fromEntries(
    devices.map(({ device_id, name }) => {
      const number = (seen.get(name) ?? 0) + 1
      seen.set(name, number)
      return [device_id, number === 1 ? name : `${name} ${number}`]
    }),
  )
}

export function createDevicesStore() {
  return createStore<DevicesState>()(() => EMPTY)
}

/** Returns the other devices that understand frames and so can receive a file. */
export function fileTakers(state: DevicesState): readonly Device[] {
  return state.devices.filter((device) => device.device_id !== state.me && device.caps.includes('files'))
}

/** Returns the name of a device, to be shown. */
export function deviceName(state: DevicesState, id: DeviceId | null): string {
  return (id && state.names[id]) ?? t`another device`
}
