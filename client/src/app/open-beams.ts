/**
 * Which beams are open in the tabs of this browser. A page holds the Web Lock of the beam that it is in, together with all other pages
 * that are in it. Plain http from another machine has no Web Locks, and no keys that one tab could take from another.
 */
import type { BeamId } from '../protocol/bindings'
import { hearPages, tellPages } from './page-channel'

/** On which the tabs tell each other what was removed. */
const REMOVED = 'removed-beams'

const ownLocks = (): LockManager | undefined => navigator.locks

/** This page is in a beam until the returned function is called. */
export function holdBeam(beam: BeamId, locks = ownLocks()): () => void {
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  void locks?.request(lockName(beam), { mode: 'shared' }, () => left).catch(() => {})
  return leave
}

/** Does something while no tab enters a beam. Resolves to false, without doing it, where one is in it. */
export async function ifClosed(beam: BeamId, act: () => Promise<void>, locks = ownLocks()): Promise<boolean> {
  const acting = async (lock: Lock | null | undefined) => {
    if (lock === null) return false
    await act()
    return true
  }
  return locks ? locks.request(lockName(beam), { ifAvailable: true }, acting) : acting(undefined)
}

/** Tells the other tabs that nothing of a beam is to stay in this browser. */
export function tellRemoved(beam: BeamId): void {
  tellPages(REMOVED, beam)
}

/** Hears of the beams that other tabs remove, until the returned function is called. */
export function hearRemoved(act: (beam: BeamId) => void): () => void {
  return hearPages(REMOVED, act)
}

function lockName(beam: BeamId): string {
  return `beam ${beam}`
}
