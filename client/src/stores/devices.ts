/** The devices in the beam, and the way to each. */
import { t } from '@lingui/core/macro'
import { createStore } from 'zustand/vanilla'
import type { Device, DeviceId } from '../protocol/bindings'
import { shownName } from './device-name'

/** The way to a device. */
export type Path = 'direct' | 'turn' | 'relay'

export interface DevicesState {
  /** This device; null before the first welcome. */
  readonly me: DeviceId | null
  /** In the order in which they joined, this one included, by the names that count. */
  readonly devices: readonly Device[]
  /** By device. Absent for this device, for plain ones, and while no link is open yet. */
  readonly paths: Readonly<Record<DeviceId, Path>>
  /**
   * Every device seen in this beam, so that a transfer that waits for one that left can still name it. Equal names have
   * numbers, the same on every device.
   */
  readonly names: Readonly<Record<DeviceId, string>>
  /** What devices have called themselves under the keys of a sealed beam (E15): the server cannot say so. */
  readonly said: Readonly<Record<DeviceId, string>>
  /** The people who were logged in on them, likewise. */
  readonly people: Readonly<Record<DeviceId, string>>
  /** The devices that were removed from the beam (S25). */
  readonly removed: ReadonlySet<DeviceId>
}

export type DevicesEvent =
  | { type: 'welcomed'; me: DeviceId }
  | { type: 'listed'; devices: readonly Device[] }
  | { type: 'said'; device: DeviceId; name: string }
  | { type: 'removed'; devices: readonly DeviceId[] }
  | { type: 'path'; device: DeviceId; path: Path | null }
  | { type: 'left' }

const EMPTY: DevicesState = {
  me: null,
  devices: [],
  paths: {},
  names: {},
  said: {},
  people: {},
  removed: new Set(),
}

/** Applies an event to the devices. */
export function reduceDevices(state: DevicesState, event: DevicesEvent): DevicesState {
  switch (event.type) {
    case 'welcomed':
      return { ...state, me: event.me }
    case 'listed':
      return listed(state, event.devices)
    case 'said': {
      if (state.said[event.device] === event.name) return state
      return listed({ ...state, said: { ...state.said, [event.device]: event.name } }, state.devices)
    }
    case 'removed':
      return { ...state, removed: new Set([...state.removed, ...event.devices]) }
    case 'path': {
      const { [event.device]: _old, ...others } = state.paths
      return { ...state, paths: event.path ? { ...others, [event.device]: event.path } : others }
    }
    case 'left':
      return EMPTY
  }
}

function listed(state: DevicesState, told: readonly Device[]): DevicesState {
  const devices = told.map((device) => {
    const name = state.said[device.device_id]
    // Of one that does not seal, nobody can know who speaks.
    return name !== undefined && seals(device) ? { ...device, name } : device
  })
  const here = new Set(devices.map(({ device_id }) => device_id))
  const people = Object.fromEntries(
    devices.map((device) => [device.device_id, personName(device)]).filter(([, name]) => name !== null),
  )
  return {
    ...state,
    devices,
    names: { ...state.names, ...namesOf(devices) },
    people: { ...state.people, ...people },
    removed: new Set([...state.removed].filter((id) => !here.has(id))),
  }
}

/** Returns the name of the person who is logged in on a device (B7); null for a guest. */
export function personName({ username, first_name, last_name }: Device): string | null {
  if (username === undefined) return null
  const name = [first_name, last_name].filter(Boolean).join(' ').trim()
  return name === '' ? `@${username}` : name
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

/** Says in `caps` that a device seals (E1). */
export const SEALING = 'e2e1'

/** Whether a device seals what it shares, and can open what was sealed. */
export function seals({ caps }: Pick<Device, 'caps'>): boolean {
  return caps.includes(SEALING)
}

export interface Takers {
  /** The only device that gets the file. */
  readonly to?: DeviceId | undefined
  /** Whether the file is sealed: a device that does not seal could not open it. */
  readonly isSealed?: boolean
}

/** Returns the other devices that understand frames and so can receive a file. */
export function fileTakers(state: DevicesState, { to, isSealed = false }: Takers = {}): readonly Device[] {
  return state.devices.filter(
    (device) =>
      device.device_id !== state.me &&
      device.caps.includes('files') &&
      (!isSealed || seals(device)) &&
      (to === undefined || device.device_id === to),
  )
}

/** Whether a device is in the beam now. */
export function isHere(state: DevicesState, id: DeviceId): boolean {
  return state.devices.some(({ device_id }) => device_id === id)
}

/** Returns who shared something: the person and the device, or the device alone. */
export function authorName(state: DevicesState, id: DeviceId): string {
  const name = state.names[id]
  if (name === undefined) return t`a device that left`
  const person = state.people[id]
  const shown = shownName(name)
  return person === undefined ? shown : `${person} · ${shown}`
}

/** Returns the name of a device, to be shown. */
export function deviceName(state: DevicesState, id: DeviceId | null): string {
  const name = id && state.names[id]
  return name ? shownName(name) : t`another device`
}
