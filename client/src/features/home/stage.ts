/** What the desktop home is about at this moment. */
import { useStore } from 'zustand'
import { useHouse } from '../actions'
import { useDeviceCount, useHasItems, useSession } from '../session/beam'

/**
 * `joining` is the moment in which somebody who came by a link does not know yet what is in the beam: a code to scan would
 * be drawn for nothing, and keep what is there waiting.
 */
export type Stage = 'no-beam' | 'joining' | 'alone' | 'nothing-yet' | 'items'

export function useStage(): Stage {
  const { stores } = useHouse()
  const session = useSession()
  const hasItems = useHasItems()
  const isAlone = useDeviceCount() <= 1
  const isKnown = useStore(stores.items, (state) => state.epoch !== null)
  const isHopeful = useStore(stores.connection, ({ status }) => status === 'connecting' || status === 'live')
  if (hasItems) return 'items'
  if (!session) return 'no-beam'
  if (session.beamKey === null && !isKnown && isHopeful) return 'joining'
  return isAlone ? 'alone' : 'nothing-yet'
}

/** Whether notes or devices have the middle of the page. */
export function isTaken(stage: Stage): boolean {
  return stage === 'nothing-yet' || stage === 'items'
}

/** What the page is called once notes or devices have the middle of it. */
export function useHomeHeading(): string {
  return useDeviceCount() > 1 ? 'Start Sharing' : 'Scan the QR Code with your mobile phone to start sharing.'
}
