import { t } from '@lingui/core/macro'
import { KeepCard } from '../keep/keep-card'
import { CanvasSearch } from '../search/canvas-search'
import { ReceiveAll } from '../transfer/receive-all'
import { CornerQr } from './corner-qr'
import css from './desktop-home.module.css'
import { hasNotes, isShared, type Stage } from './stage'

/** What lies over the canvas beside its notes. Like the canvas it is loaded when it is needed. */
export function OverCanvas({ stage }: { stage: Stage }) {
  return (
    <>
      {isShared(stage) && <CornerQr />}
      {stage === 'alone-with-notes' && <KeepCard place="canvas" />}
      <ReceiveAll on="canvas" />
      {hasNotes(stage) && <CanvasSearch />}
      {hasNotes(stage) && <p className={css.hint}>{t`Double Click a note to copy`}</p>}
    </>
  )
}
