import { plural, t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import Trash2 from 'lucide-react/icons/trash-2'
import X from 'lucide-react/icons/x'
import { useRef } from 'react'
import { useStore } from 'zustand'
import type { Batch } from '../../stores/cards'
import { reduceIncoming } from '../../stores/incoming'
import type { Save } from '../../stores/saves'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { useKeptFocus } from '../../ui/kept-focus'
import { MoreMenu } from '../../ui/more-menu'
import { Progress } from '../../ui/progress'
import { Tile } from '../../ui/tile'
import { useApp } from '../actions'
import { gradientOf } from '../item/appearance'
import { countOf, iconOf } from '../item/describe'
import { BatchNotice } from '../item/item-notice'
import { useMayShare } from '../session/beam'
import { ChooseAllAgain } from '../transfer/choose-again'
import { DetailsButton, useDetailsCommand } from '../transfer/details-button'
import { type Ground, hasBadge, isWaiting, StateBadge } from '../transfer/file-row'
import { fraction } from '../transfer/file-view'
import { formatSize } from '../transfer/format-bytes'
import { PauseButton } from '../transfer/pause-button'
import { ScreenHint } from '../transfer/screen-hint'
import { useProgressTexts } from '../transfer/use-file'
import css from './batch-face.module.css'
import { BatchFiles } from './batch-files'
import { BatchThumbs } from './batch-thumbs'
import { type BatchActions, type BatchView, useBatch, useBatchActions } from './use-batch'

/** The files that were shared together, as one note or one card of a list. */
export function BatchFace({ batch, on }: { batch: Batch; on: Ground }) {
  const view = useBatch(batch)
  const does = useBatchActions(batch, view)
  const label = countOf(batch.content)
  return (
    <>
      {on === 'note' && <NoteTools batch={batch} view={view} does={does} />}
      <div className={css.batch} data-on={on}>
        <div className={css.head}>
          <Tile icon={iconOf(batch.content)} {...(on === 'page' && { gradient: gradientOf(batch.id) })} />
          <div className={css.words}>
            <Title batch={batch} on={on} />
            <div className={css.size}>{formatSize(partOf(view), view.total)}</div>
          </div>
          {on === 'page' && <ListMenu batch={batch} view={view} does={does} />}
        </div>
        <BatchThumbs files={view.files} on={on} />
        <Sum batch={batch} view={view} does={does} on={on} />
        <BatchFiles files={view.files} on={on} label={label} hasThumbs={isShown(view)} />
        <BatchNotice batch={batch} />
      </div>
    </>
  )
}

/** Whether the thumbnails show every file. */
function isShown({ files }: BatchView): boolean {
  return files.every(({ media }) => media === 'image')
}

/** The bytes transferred, where they are part of all files and not only of some. */
function partOf({ row, size, total }: BatchView): number | null {
  return row.status !== 'done' && size === total ? row.bytes : null
}

/** In a list, a press on the title of a batch from another device shows its sheet. */
function Title({ batch, on }: { batch: Batch; on: Ground }) {
  const { incoming, devices } = useApp().stores
  const me = useStore(devices, (state) => state.me)
  const count = countOf(batch.content)
  if (on === 'note' || batch.from === null || batch.from === me)
    return <div className={css.title}>{count}</div>
  const show = () =>
    incoming.setState((state) => reduceIncoming(state, { type: 'shown', id: batch.id }), true)
  return (
    <button type="button" className={css.title} aria-haspopup="dialog" onClick={show}>
      {count}
    </button>
  )
}

interface BatchProps {
  batch: Batch
  view: BatchView
  does: BatchActions
}

/** The buttons above a note under the pointer or with the focus. */
function NoteTools({ batch, does }: BatchProps) {
  const { actions } = useApp()
  const mayShare = useMayShare()
  const look = { look: 'small', iconSize: 15 } as const
  return (
    <div className={css.above} data-actions>
      <IconButton
        icon={Copy}
        label={t`Copy names`}
        {...look}
        onClick={() => void actions.copyItem(batch.id)}
      />
      <DetailsButton card={batch.id} />
      {mayShare && <IconButton icon={Trash2} label={t`Delete`} {...look} onClick={does.remove} />}
    </div>
  )
}

function ListMenu({ batch, view, does }: BatchProps) {
  const { actions } = useApp()
  const mayDelete = useMayShare() && !view.row.actions.includes('cancel')
  const details = useDetailsCommand(batch.id)
  const name = countOf(batch.content)
  const items = [
    { label: t`Copy names`, icon: Copy, onSelect: () => void actions.copyItem(batch.id) },
    ...(details ? [details] : []),
    ...(mayDelete ? [{ label: t`Delete`, icon: Trash2, onSelect: does.remove }] : []),
  ]
  return <MoreMenu label={t`More of ${name}`} items={items} iconSize={20} />
}

/** The progress of all files, and what can be done with all of them. */
function Sum({ batch, view, does, on }: BatchProps & { on: Ground }) {
  const { row, size } = view
  const { left, right, seconds } = useProgressTexts(row, size)
  const hasBar = row.bytes !== null && row.status !== 'done'
  const name = countOf(batch.content)
  return (
    <div className={css.sum}>
      {hasBar && (
        <>
          <Progress
            value={fraction(row.bytes ?? 0, size)}
            label={t`Progress of ${name}`}
            look={on === 'page' && isWaiting(row) ? 'dim' : on}
          />
          <div className={css.texts}>
            <span>{left}</span>
            <span>{right}</span>
          </div>
        </>
      )}
      {on === 'page' && (
        <ScreenHint row={row} size={row.bytes === null ? view.total : size} seconds={seconds} />
      )}
      <Foot batch={batch} view={view} does={does} on={on} text={hasBar ? '' : left} />
    </div>
  )
}

/** The state, and the buttons for all files. */
function Foot({ batch, view, does, on, text }: BatchProps & { on: Ground; text: string }) {
  const { row, receivable, received } = view
  const isComing = row.actions.includes('cancel')
  const ref = useRef<HTMLDivElement>(null)
  const keeps = useKeptFocus(ref)
  if (!hasBadge(row) && text === '' && receivable + received === 0 && !isComing) return null
  const look =
    on === 'note' ? ({ look: 'well', iconSize: 16 } as const) : ({ look: 'fill', iconSize: 20 } as const)
  return (
    <div ref={ref} className={css.foot} {...keeps}>
      <StateBadge row={row} on={on} />
      <span className={css.state}>{text}</span>
      <span className={css.buttons}>
        <ChooseAllAgain files={view.files} on={on} />
        <ReceiveButton batch={batch} view={view} does={does} on={on} />
        <SaveButton batch={batch} view={view} does={does} on={on} />
        <PauseButton actions={row.actions} all {...look} onAct={(action) => does[action]()} />
        {isComing && <IconButton icon={X} label={t`Cancel all`} {...look} onClick={does.cancel} />}
      </span>
    </div>
  )
}

function ReceiveButton({ view, does, on }: BatchProps & { on: Ground }) {
  const { receivable, files } = view
  if (receivable === 0) return null
  return (
    <button type="button" className={css.button} data-on={on} data-main onClick={does.receive}>
      {receivable === files.length ? t`Receive all` : plural(receivable, { other: 'Receive # more' })}
    </button>
  )
}

function SaveButton({ batch, view, does, on }: BatchProps & { on: Ground }) {
  const save = useStore(useApp().stores.saves, ({ saves }) => saves[batch.id])
  const { received } = view
  if (received === 0) return null
  // The main action as soon as nothing is left to receive.
  const isMain = view.receivable === 0 && view.row.status === 'done'
  return (
    <button
      type="button"
      className={css.button}
      data-on={on}
      data-main={isMain || undefined}
      // It keeps the focus, which a disabled button loses.
      aria-disabled={save !== undefined || undefined}
      onClick={does.save}
    >
      <Icon of={Download} size={16} />
      {save ? savingText(save) : isMain ? t`Save all` : plural(received, { other: 'Save #' })}
    </button>
  )
}

export function savingText(save: Save): string {
  if (save.status === 'waiting') return t`Will be saved when it is here`
  const { saved, of: count } = save
  const number = saved + 1
  return t`Saving ${number} of ${count}`
}
