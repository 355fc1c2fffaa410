/** For which devices the person has paused a file that goes from here (F18), so that a new worker can be told. */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { EngineCommand, Progress } from './engine-messages'

type Command = Extract<EngineCommand, { do: 'pause' | 'resume' | 'cancel' }>

export interface Pauses {
  /** Whether it is paused also for the devices that have not wanted any of it yet. */
  readonly isForAll: boolean
  readonly devices: ReadonlySet<DeviceId>
}

export const NO_PAUSES: Pauses = { isForAll: false, devices: new Set() }

/** The person pauses it, goes on with it or cancels it, for one device or for all. */
export function turned({ isForAll, devices }: Pauses, { do: how, device }: Omit<Command, 'id'>): Pauses {
  if (device === null) return how === 'pause' ? { isForAll: true, devices } : NO_PAUSES
  // What goes on for one device does so for those that come later.
  return { isForAll: isForAll && how !== 'resume', devices: withDevice(devices, device, how === 'pause') }
}

/** The worker reports how the transfer to a device is doing: so a pause for all is known for each of them. */
export function reported(pauses: Pauses, device: DeviceId, progress: Progress): Pauses {
  const isPaused = isPausedHere(progress)
  if (isPaused === pauses.devices.has(device)) return pauses
  return { ...pauses, devices: withDevice(pauses.devices, device, isPaused) }
}

/** Whether the person here has paused it. */
export function isPausedHere(progress: Progress): boolean {
  return progress.status === 'paused' && progress.by === 'me'
}

/** Returns what pauses it in a worker that knows of none. */
export function pausing(id: ItemId, { isForAll, devices }: Pauses): readonly Command[] {
  return [...(isForAll ? [null] : []), ...devices].map((device) => ({ do: 'pause', id, device }))
}

function withDevice(devices: ReadonlySet<DeviceId>, device: DeviceId, isIn: boolean): ReadonlySet<DeviceId> {
  return new Set([...devices].filter((one) => one !== device).concat(isIn ? [device] : []))
}
