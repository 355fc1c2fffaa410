import { KeepCard } from '../keep/keep-card'
import { CanvasSearch } from '../search/canvas-search'
import { ReceiveAll } from '../transfer/receive-all'
import { CopyHint } from './copy-hint'
import { CornerQr } from './corner-qr'
import { hasNotes, isShared, type Stage } from './stage'

/** What lies over the canvas beside its notes. Like the canvas it is loaded when it is needed. */
export function OverCanvas({ stage }: { stage: Stage }) {
  return (
    <>
      {isShared(stage) && <CornerQr />}
      {stage === 'alone-with-notes' && <KeepCard place="canvas" />}
      <ReceiveAll on="canvas" />
      {hasNotes(stage) && <CanvasSearch />}
      {hasNotes(stage) && <CopyHint />}
    </>
  )
}
