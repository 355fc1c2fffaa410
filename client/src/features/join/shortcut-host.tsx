import { Suspense } from 'react'
import { useStore } from 'zustand'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'

const JoinDialog = lazyPart(
  () => import('./join-dialog'),
  (m) => m.JoinDialog,
)
const Scanner = lazyPart(
  () => import('../scanner/scanner'),
  (m) => m.Scanner,
)

/** Opens what the person chose from the installed app's menu: the Join Beam dialog, or the scanner. */
export function ShortcutHost() {
  const { stores } = useApp()
  const opens = useStore(stores.shortcut, (state) => state.opens)
  const close = () => stores.shortcut.setState({ opens: null })
  return (
    <Suspense>
      {opens === 'join' && <JoinDialog onClose={close} />}
      {opens === 'scan' && <Scanner onClose={close} />}
    </Suspense>
  )
}
