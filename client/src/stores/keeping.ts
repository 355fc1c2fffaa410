/** How an unsaved beam is kept on the server (S30), and whether it lost what was shared in it (S31). */
import { createStore } from 'zustand/vanilla'
import type { DeviceId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { BeamAccess } from './beam-access'

export interface Keeping {
  /** Null while the beam is not kept. */
  readonly kept: {
    /** Milliseconds since the Unix epoch, by this device's clock. */
    readonly until: number
    /** The device that asked for it first. */
    readonly by: DeviceId
  } | null
  /** The server no longer has what was shared here. */
  readonly isForgotten: boolean
  /** The person does not want to be asked again before another device has come and gone. */
  readonly isDeclined: boolean
}

const NOT_KEPT: Keeping = { kept: null, isForgotten: false, isDeclined: false }

export type KeepingEvent =
  | { type: 'welcomed'; kept: Keeping['kept']; isForgotten: boolean }
  | { type: 'changed'; kept: Keeping['kept'] }
  | { type: 'declined' }
  /** The devices that are here, this one included. */
  | { type: 'devices'; count: number }
  | { type: 'left' }

export function reduceKeeping(state: Keeping, event: KeepingEvent): Keeping {
  switch (event.type) {
    case 'welcomed':
      return { ...state, kept: event.kept, isForgotten: event.isForgotten }
    case 'changed':
      return { ...state, kept: event.kept }
    case 'declined':
      return { ...state, isDeclined: true }
    case 'devices':
      return event.count > 1 && state.isDeclined ? { ...state, isDeclined: false } : state
    case 'left':
      return NOT_KEPT
  }
}

/** Whether the server stores the beam's items, and files of any type for them. */
export function isStored(access: BeamAccess, keeping: Keeping): boolean {
  return access.kind === 'saved' || keeping.kept !== null
}

/**
 * Whether a file is lost with the device that has it: its item stays in a saved or kept beam, but there is no stored copy
 * (F9).
 */
export function livesOnOneDevice(isStored: boolean, { content }: Item): boolean {
  return isStored && content.kind === 'file' && content.url === null
}

/** Whether this device may end the keeping: it asked for it, or it created the beam. */
export function mayEndKeeping(access: BeamAccess, { kept }: Keeping, me: DeviceId | null): boolean {
  return kept !== null && (kept.by === me || (access.kind === 'unsaved' && access.creator))
}

export function createKeepingStore() {
  return createStore<Keeping>()(() => NOT_KEPT)
}
