import { t } from '@lingui/core/macro'
import Download from 'lucide-react/icons/download'
import X from 'lucide-react/icons/x'
import { useRef } from 'react'
import { useStore } from 'zustand'
import type { Batch } from '../../stores/cards'
import { deviceName } from '../../stores/devices'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { useKeptFocus } from '../../ui/kept-focus'
import { useApp } from '../actions'
import { BatchFiles } from '../card/batch-files'
import { type BatchView, useBatch, useBatchActions } from '../card/use-batch'
import { deviceIcon } from '../devices/device-icon'
import { gradientOf } from '../item/appearance'
import { countOf } from '../item/describe'
import { StateBadge } from '../transfer/file-row'
import { fraction } from '../transfer/file-view'
import { formatSize } from '../transfer/format-bytes'
import { WordedPauseButton } from '../transfer/pause-button'
import { ScreenHint } from '../transfer/screen-hint'
import { useProgressTexts } from '../transfer/use-file'
import css from './incoming-sheet.module.css'
import { Ring } from './ring'

/** A batch that comes, as a sheet: its sum, its files, and what can be done with all of them. */
export function IncomingSheet({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const view = useBatch(batch)
  const { devices } = useApp().stores
  const sender = useStore(devices, (state) => deviceName(state, batch.from))
  const { row, size } = view
  const files = countOf(batch.content)
  return (
    <Dialog
      title={t`${files} from ${sender}`}
      look="centred"
      drags
      cross={row.actions.includes('cancel')}
      picture={
        <Ring
          value={row.bytes === null ? 0 : fraction(row.bytes, size)}
          icon={deviceIcon(sender)}
          gradient={gradientOf(batch.id)}
          label={t`Progress of all files`}
        />
      }
      onClose={onClose}
    >
      <Facts view={view} />
      <div className={css.files}>
        <BatchFiles files={view.files} on="page" isRoomy label={files} />
      </div>
      <Foot batch={batch} view={view} onClose={onClose} />
    </Dialog>
  )
}

/** The sum, the speed, the time left and the way. */
function Facts({ view: { row, size, total } }: { view: BatchView }) {
  const { left, right, seconds } = useProgressTexts(row, size)
  const sum =
    row.bytes === null || row.status === 'done' ? formatSize(null, total) : formatSize(row.bytes, size)
  const isMoving = row.status === 'moving'
  return (
    <div className={css.facts}>
      <p>{[sum, row.status === 'offered' ? '' : left, isMoving ? right : ''].filter(Boolean).join(' · ')}</p>
      {row.way && <StateBadge row={row} on="page" />}
      <ScreenHint row={row} size={row.bytes === null ? total : size} seconds={seconds} />
    </div>
  )
}

/** Within reach of the thumb: what can be done with all files, and a way to put the sheet away. */
function Foot({ batch, view, onClose }: { batch: Batch; view: BatchView; onClose: () => void }) {
  const does = useBatchActions(batch, view)
  const { receivable, received, files, row } = view
  const isComing = row.actions.includes('cancel')
  const ref = useRef<HTMLDivElement>(null)
  const keeps = useKeptFocus(ref)
  const rest = receivable === files.length ? t`Receive all` : t`Receive ${receivable} more`
  return (
    <DialogFoot ref={ref} {...keeps}>
      {!isComing && (
        <Button look="quiet" onClick={onClose}>
          {received === files.length ? t`Done` : t`Hide`}
        </Button>
      )}
      <WordedPauseButton actions={row.actions} onAct={(action) => does[action]()} />
      {isComing && (
        <Button look="quiet" icon={X} className={css.cancel} onClick={does.cancel}>
          {t`Cancel`}
        </Button>
      )}
      {!isComing && receivable > 0 && (
        <Button look="primary" icon={Download} onClick={does.receive}>
          {rest}
        </Button>
      )}
      {!isComing && receivable === 0 && received > 0 && (
        <Button look="primary" icon={Download} onClick={does.save}>
          {t`Save all`}
        </Button>
      )}
    </DialogFoot>
  )
}
