import { Suspense, useEffect } from 'react'
import { useStore } from 'zustand'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { useSession } from '../session/beam'
import { useBeamDialog, useDepartures } from './use-departure'

const CodeDialog = lazyPart(
  () => import('./code-dialog'),
  (m) => m.CodeDialog,
)
const JoinDialog = lazyPart(
  () => import('../join/join-dialog'),
  (m) => m.JoinDialog,
)
const Scanner = lazyPart(
  () => import('../scanner/scanner'),
  (m) => m.Scanner,
)
const RecentDialog = lazyPart(
  () => import('./recent-dialog'),
  (m) => m.RecentDialog,
)
const TransfersDialog = lazyPart(
  () => import('../transfers/transfers-dialog'),
  (m) => m.TransfersDialog,
)
const LanguageDialog = lazyPart(
  () => import('../session/language-dialog'),
  (m) => m.LanguageDialog,
)
const ShareDialog = lazyPart(
  () => import('../share/share-dialog'),
  (m) => m.ShareDialog,
)
const SendItemDialog = lazyPart(
  () => import('../devices/send-item-dialog'),
  (m) => m.SendItemDialog,
)
const DetailsDialog = lazyPart(
  () => import('../details/details-dialog'),
  (m) => m.DetailsDialog,
)
const ContentsDialog = lazyPart(
  () => import('../contents/contents-dialog'),
  (m) => m.ContentsDialog,
)
const ShortcutHelp = lazyPart(
  () => import('../canvas/shortcut-help'),
  (m) => m.ShortcutHelp,
)
const LeaveDialog = lazyPart(
  () => import('./leave-dialog'),
  (m) => m.LeaveDialog,
)

/** The dialogs about a beam as a whole. The code of each is loaded on its first use. */
export function BeamDialogs() {
  const state = useStore(useApp().stores.beamDialog)
  const sharing = useStore(useApp().stores.beams, (beams) => beams.sharing)
  const open = useBeamDialog()
  const { depart, wish, showBeam } = useDepartures()
  const close = () => open({ kind: 'none' })
  useClosedWithTheBeam()
  return (
    <Suspense>
      {state.kind === 'code' && <CodeDialog onClose={close} />}
      {state.kind === 'join' && <JoinDialog onJoined={showBeam} onClose={close} />}
      {state.kind === 'scan' && <Scanner onJoined={showBeam} onClose={close} />}
      {state.kind === 'recent' && <RecentDialog onClose={close} />}
      {state.kind === 'transfers' && (
        <TransfersDialog onEnter={(beam) => wish({ do: 'enter', beam })} onClose={close} />
      )}
      {state.kind === 'language' && <LanguageDialog onClose={close} />}
      {state.kind === 'keys' && <ShortcutHelp onClose={close} />}
      {state.kind === 'send' && <SendItemDialog item={state.item} onClose={close} />}
      {state.kind === 'details' && <DetailsDialog card={state.card} onClose={close} />}
      {state.kind === 'contents' && <ContentsDialog card={state.card} onClose={close} />}
      {sharing.status !== 'closed' && <ShareDialog sharing={sharing} />}
      {state.kind === 'leaving' && (
        <LeaveDialog {...state} onLeave={() => depart(state.departure)} onClose={close} />
      )}
    </Suspense>
  )
}

/** Closes the code of a beam that this page is no longer in. */
function useClosedWithTheBeam() {
  const { beamDialog } = useApp().stores
  const isIn = useSession() !== null
  useEffect(() => {
    if (!isIn && beamDialog.getState().kind === 'code') beamDialog.setState({ kind: 'none' }, true)
  }, [isIn, beamDialog])
}
