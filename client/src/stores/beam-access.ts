/** What this device may do in the beam that it is in, as the server said. */
import { createStore } from 'zustand/vanilla'
import type { SavedBeam } from '../protocol/bindings'
import type { Item } from '../protocol/item'

export type BeamAccess =
  /** Before the first welcome. */
  | { kind: 'unknown' }
  /** Not in anybody's account. The creator came with its key. */
  | { kind: 'unsaved'; creator: boolean }
  | { kind: 'saved'; saved: SavedBeam }

export function createBeamAccessStore() {
  return createStore<BeamAccess>()(() => ({ kind: 'unknown' }))
}

/** Whether it may share (S24). */
export function mayShare(access: BeamAccess): boolean {
  return access.kind !== 'saved' || access.saved.role !== 'read'
}

/** Whether it may delete an item: a note only by admins, or by who shared it (S26); always what the server never took. */
export function mayDelete(access: BeamAccess, item: Item): boolean {
  if (item.seq === null) return true
  if (access.kind !== 'saved') return item.note === null
  switch (access.saved.role) {
    case 'read':
      return false
    case 'write':
      return item.note === null || item.note.mine
    case 'admin':
    case 'owner':
      return true
  }
}

/** Whether a file of the beam is gone when the device that has it goes: a saved beam keeps the item, and here only that (F9). */
export function livesOnOneDevice(access: BeamAccess, { content }: Item): boolean {
  return access.kind === 'saved' && content.kind === 'file' && content.url === null
}

/** Whether it may send other devices away (S25). */
export function mayRemoveDevices(access: BeamAccess): boolean {
  if (access.kind === 'unknown') return false
  return access.kind === 'unsaved'
    ? access.creator
    : access.saved.role === 'owner' || access.saved.role === 'admin'
}
