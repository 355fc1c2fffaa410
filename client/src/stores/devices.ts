/** The devices in the beam, and how each is reached from here. */
import { createStore } from 'zustand/vanilla'
import type { Device, DeviceId } from '../protocol/bindings'

/** A way to a device. */
export type Path = 'direct' | 'turn' | 'relay'

export interface DevicesState {
  /** This device; null before the first welcome. */
  readonly me: DeviceId | null
  /** In the order in which they joined, this one included. */
  readonly devices: readonly Device[]
  /** By device; absent for this device, for plain ones, and while a way is being found. */
  readonly paths: Readonly<Record<DeviceId, Path>>
}

export type DevicesEvent =
  | { type: 'welcomed'; me: DeviceId }
  | { type: 'listed'; devices: readonly Device[] }
  | { type: 'path'; device: DeviceId; path: Path | null }
  | { type: 'left' }

const EMPTY: DevicesState = { me: null, devices: [], paths: {} }

/** Every way the list of devices can change, in one place. */
export function reduceDevices(state: DevicesState, event: DevicesEvent): DevicesState {
  switch (event.type) {
    case 'welcomed':
      return { ...state, me: event.me }
    case 'listed':
      return { ...state, devices: event.devices }
    case 'path': {
      const { [event.device]: _old, ...others } = state.paths
      return { ...state, paths: event.path ? { ...others, [event.device]: event.path } : others }
    }
    case 'left':
      return EMPTY
  }
}

export function createDevicesStore() {
  return createStore<DevicesState>()(() => EMPTY)
}

/** The other devices that speak frames and so can take a file. */
export function fileTakers(state: DevicesState): readonly Device[] {
  return state.devices.filter((device) => device.device_id !== state.me && device.caps.includes('files'))
}

/** The name of a device, for people. */
export function deviceName(state: DevicesState, id: DeviceId | null): string {
  return state.devices.find((device) => device.device_id === id)?.name ?? 'another device'
}
