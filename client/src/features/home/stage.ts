/** What the desktop home is about at this moment. */
import { useStore } from 'zustand'
import { useApp } from '../actions'
import { useDeviceCount, useHasItems, useSession } from '../session/beam'
import { useGone } from '../session/beam-gone'

/**
 * `joining` is the moment in which somebody who came by a link does not know yet what is in the beam: a code to scan would
 * be drawn for nothing, and keep what is there waiting. The code is large while no other device is here, with notes or
 * without; `shared` and `nothing-yet` have it in the corner. `gone` has notes of a beam that nobody can join any more.
 */
export type Stage = 'no-beam' | 'joining' | 'alone' | 'alone-with-notes' | 'nothing-yet' | 'shared' | 'gone'

export interface Facts {
  readonly inBeam: boolean
  readonly hasItems: boolean
  readonly devices: number
  readonly isGone: boolean
  /** Somebody came by a link, and what is in the beam has not come yet. */
  readonly isJoining: boolean
}

export function stageOf({ inBeam, hasItems, devices, isGone, isJoining }: Facts): Stage {
  if (isGone && hasItems) return 'gone'
  if (!inBeam) return 'no-beam'
  if (isJoining && !hasItems) return 'joining'
  if (devices > 1) return hasItems ? 'shared' : 'nothing-yet'
  return hasItems ? 'alone-with-notes' : 'alone'
}

export function useStage(): Stage {
  const { stores } = useApp()
  const session = useSession()
  const hasItems = useHasItems()
  const devices = useDeviceCount()
  const isGone = useGone() !== null
  const isKnown = useStore(stores.items, (state) => state.epoch !== null)
  const isHopeful = useStore(stores.connection, ({ status }) => status === 'connecting' || status === 'live')
  const isJoining = session?.beamKey === null && !isKnown && isHopeful
  return stageOf({ inBeam: session !== null, hasItems, devices, isGone, isJoining })
}

/** Whether there are notes on the canvas. */
export function hasNotes(stage: Stage): boolean {
  return stage === 'shared' || stage === 'alone-with-notes' || stage === 'gone'
}

/** Whether other devices are here, which makes the code small. */
export function isShared(stage: Stage): boolean {
  return stage === 'shared' || stage === 'nothing-yet'
}
