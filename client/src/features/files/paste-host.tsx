import { Suspense } from 'react'
import { useStore } from 'zustand'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'

const PasteDialog = lazyPart(
  () => import('./paste-dialog'),
  (m) => m.PasteDialog,
)

/** The dialog to paste into, while a paste waits for the person. Its code is loaded on the first use. */
export function PasteHost() {
  const { pasting } = useApp().stores
  const state = useStore(pasting)
  if (state.kind === 'none') return null
  return (
    <Suspense>
      <PasteDialog screen={state.screen} onClose={() => pasting.setState({ kind: 'none' }, true)} />
    </Suspense>
  )
}
