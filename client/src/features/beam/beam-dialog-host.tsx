import { Suspense } from 'react'
import { useStore } from 'zustand'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'

const BeamDialogs = lazyPart(
  () => import('./beam-dialogs'),
  (m) => m.BeamDialogs,
)

/** The place of the dialogs about a beam, over any page. Their code is loaded on the first use. */
export function BeamDialogHost() {
  const { beamDialog, beams } = useApp().stores
  const isOpen = useStore(beamDialog, ({ kind }) => kind !== 'none')
  const isSharing = useStore(beams, ({ sharing }) => sharing.status !== 'closed')
  if (!isOpen && !isSharing) return null
  return (
    <Suspense>
      <BeamDialogs />
    </Suspense>
  )
}
