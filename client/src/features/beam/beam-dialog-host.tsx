import { Suspense, useEffect } from 'react'
import { useStore } from 'zustand'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { useDepartures } from './use-departure'

const BeamDialogs = lazyPart(
  () => import('./beam-dialogs'),
  (m) => m.BeamDialogs,
)

/** The place of the dialogs about a beam, over any page. Their code is loaded on the first use. */
export function BeamDialogHost() {
  const { beamDialog, beams, deviceList } = useApp().stores
  const { showBeam } = useDepartures()
  useEffect(() =>
    deviceList.subscribe((now, before) => {
      // Its pill is on the pages of the beam only.
      if (now.kind === 'open' && before.kind === 'closed') showBeam()
    }),
  )
  const isOpen = useStore(beamDialog, ({ kind }) => kind !== 'none')
  const isSharing = useStore(beams, ({ sharing }) => sharing.status !== 'closed')
  if (!isOpen && !isSharing) return null
  return (
    <Suspense>
      <BeamDialogs />
    </Suspense>
  )
}
