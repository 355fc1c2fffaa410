/** What the server allows this device in the current beam. */
import { createStore } from 'zustand/vanilla'
import type { SavedBeam } from '../protocol/bindings'
import type { Item } from '../protocol/item'

export type BeamAccess =
  /** Before the first welcome. */
  | { kind: 'unknown' }
  /** Saved to no account. `creator`: this device joined with the beam key. */
  | { kind: 'unsaved'; creator: boolean }
  | { kind: 'saved'; saved: SavedBeam }

export function createBeamAccessStore() {
  return createStore<BeamAccess>()(() => ({ kind: 'unknown' }))
}

/** Whether the beam is open on this device by the login of its person: an own one, or one that was shared with them by name. */
export function isByLogin(access: BeamAccess): boolean {
  return access.kind === 'saved' && !access.saved.by_link
}

/** Whether this device may share (S24). */
export function mayShare(access: BeamAccess): boolean {
  return access.kind !== 'saved' || access.saved.role !== 'read'
}

/**
 * Whether it may delete an item: a note only by an admin, or by its author with a share (S26), and always an item that
 * the server refused.
 */
export function mayDelete(access: BeamAccess, item: Item): boolean {
  // One for this device alone is in the server's memory only, and the two devices' own (S33).
  if (item.seq === null || item.to !== undefined) return true
  if (access.kind !== 'saved') return item.note === null
  switch (access.saved.role) {
    case 'read':
      return false
    case 'write':
      return item.note === null || (item.note.mine && !access.saved.by_link)
    case 'admin':
    case 'owner':
      return true
  }
}

/** Whether this device may remove other devices (S25). */
export function mayRemoveDevices(access: BeamAccess): boolean {
  return access.kind === 'unsaved' ? access.creator : mayManage(access)
}

/** Whether this person manages the shares of the saved beam (B6). */
export function mayManage(access: BeamAccess): boolean {
  return access.kind === 'saved' && (access.saved.role === 'owner' || access.saved.role === 'admin')
}
