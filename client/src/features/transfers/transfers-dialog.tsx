import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import type { BeamId } from '../../protocol/bindings'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { useApp } from '../actions'
import { BatchFiles } from '../card/batch-files'
import { useFilesAsOne, useTransferActions } from '../card/use-batch'
import { WordedPauseButton } from '../transfer/pause-button'
import css from './transfers-dialog.module.css'
import { useUnderWay } from './use-under-way'
import { useWaiting } from './use-waiting'
import { WaitingFiles } from './waiting-files'

/** What comes and goes in this beam, and what waits on this device for the rest of it in others. */
export function TransfersDialog({
  onEnter,
  onClose,
}: {
  onEnter: (beam: BeamId) => void
  onClose: () => void
}) {
  const view = useFilesAsOne(useUnderWay())
  const { files, row } = view
  const does = useTransferActions(
    view,
    useStore(useApp().stores.items, (state) => state.items),
  )
  const waiting = useWaiting()
  return (
    <Dialog title={t`Transfers`} width="wide" cross onClose={onClose}>
      {files.length + waiting.length === 0 && (
        <p className={css.empty}>{t`Nothing is being transferred, and nothing waits.`}</p>
      )}
      {files.length > 0 && (
        <section className={css.section} aria-label={t`In this beam`}>
          <h3 className={css.heading}>{t`In this beam`}</h3>
          <BatchFiles files={files} on="page" isRoomy label={t`In this beam`} />
        </section>
      )}
      {waiting.length > 0 && <WaitingFiles files={waiting} onEnter={onEnter} />}
      <DialogFoot>
        <WordedPauseButton actions={row.actions} all onAct={(action) => does[action]()} />
        <Button look="quiet" onClick={onClose}>
          {t`Close`}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
