/** The stage of the desktop home: which of its views is shown. */
import { useStore } from 'zustand'
import { useApp } from '../actions'
import { useNotLetIn } from '../devices/not-let-in'
import { useDeviceCount, useHasItems, useSession } from '../session/beam'
import { useGone } from '../session/beam-gone'

/**
 * `not-let-in`: the beam is sealed, and this device cannot open it yet. `joining`: the page came by a link and does not know the beam's content yet; no code is drawn, because that would
 * delay the content. The code is large while no other device is here (`alone`, `alone-with-notes`) and small in the
 * corner in `shared` and `nothing-yet`. `gone`: the beam has ended, and its notes are still shown.
 */
export type Stage =
  | 'no-beam'
  | 'not-let-in'
  | 'joining'
  | 'alone'
  | 'alone-with-notes'
  | 'nothing-yet'
  | 'shared'
  | 'gone'

export interface Facts {
  readonly inBeam: boolean
  readonly hasItems: boolean
  readonly devices: number
  readonly isGone: boolean
  readonly isLetIn: boolean
  /** The page came by a link, and the beam's content has not arrived yet. */
  readonly isJoining: boolean
}

export function stageOf({ inBeam, hasItems, devices, isGone, isLetIn, isJoining }: Facts): Stage {
  if (isGone && hasItems) return 'gone'
  if (!inBeam) return 'no-beam'
  if (!isLetIn && !hasItems) return 'not-let-in'
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
  const isLetIn = !useNotLetIn()
  const isKnown = useStore(stores.items, (state) => state.epoch !== null)
  const isHopeful = useStore(stores.connection, ({ status }) => status === 'connecting' || status === 'live')
  const isJoining = session?.beamKey === null && !isKnown && isHopeful
  return stageOf({ inBeam: session !== null, hasItems, devices, isGone, isLetIn, isJoining })
}

/** Whether the stage shows notes on the canvas. */
export function hasNotes(stage: Stage): boolean {
  return stage === 'shared' || stage === 'alone-with-notes' || stage === 'gone'
}

/** Whether other devices are here, which makes the code small. */
export function isShared(stage: Stage): boolean {
  return stage === 'shared' || stage === 'nothing-yet'
}
