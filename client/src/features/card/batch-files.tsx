import { t } from '@lingui/core/macro'
import CircleCheck from 'lucide-react/icons/circle-check'
import Trash2 from 'lucide-react/icons/trash-2'
import { memo, useId, useMemo, useRef, useState } from 'react'
import type { FileItem } from '../../stores/cards'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { useKeptFocus } from '../../ui/kept-focus'
import { Tile } from '../../ui/tile'
import { useApp } from '../actions'
import { gradientOf } from '../item/appearance'
import { iconOf } from '../item/describe'
import { useMayShare } from '../session/beam'
import { batchRow, isUnderWay } from '../transfer/batch-row'
import { FileName } from '../transfer/file-name'
import { type Ground, isWaiting, RowProgress, RowTools } from '../transfer/file-row'
import { canSave, type FileRow, type FileView, isReceived } from '../transfer/file-view'
import { formatBytes } from '../transfer/format-bytes'
import { labelOf } from '../transfer/path-label'
import { SaveControl, useIsSaving } from '../transfer/save-link'
import { rightText, useFileAction } from '../transfer/use-file'
import { useLanguage } from '../use-language'
import css from './batch-files.module.css'
import { FoldButton, SHOWN_CLOSED } from './fold-button'
import { useOwnWheel } from './own-wheel'
import type { BatchFile } from './use-batch'

/** The files of a batch, each with its state and its actions: the first three, and the rest on request. */
export function BatchFiles(props: {
  files: readonly BatchFile[]
  on: Ground
  label: string
  /** With a coloured tile for each file, where there is room. */
  isRoomy?: boolean
  hasThumbs?: boolean
}) {
  const { files, on, label, isRoomy = false, hasThumbs = false } = props
  // Thumbnails show them all.
  const closed = hasThumbs ? 0 : SHOWN_CLOSED
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const list = useRef<HTMLUListElement>(null)
  useOwnWheel(list)
  const isCut = files.length > closed
  const shown = isCut && !isOpen ? files.slice(0, closed) : files
  const labels = namesApart(files)
  return (
    <>
      <ul ref={list} id={id} className={css.files} data-on={on} aria-label={label}>
        {shown.map(({ item, view }, at) => (
          <File key={item.id} item={item} view={view} label={labels[at] ?? ''} on={on} isRoomy={isRoomy} />
        ))}
      </ul>
      {isCut && (
        <FoldButton
          list={id}
          count={files.length}
          isOpen={isOpen}
          onToggle={() => setIsOpen(!isOpen)}
          on={on}
          {...(closed === 0 && { more: t`Show the files` })}
        />
      )}
    </>
  )
}

/** Returns what each file is called in the names of its buttons: one of several of the same name, by its place as well. */
function namesApart(files: readonly BatchFile[]): readonly string[] {
  const count = files.length
  const times = new Map<string, number>()
  for (const { item } of files) times.set(item.content.name, (times.get(item.content.name) ?? 0) + 1)
  return files.map(({ item }, at) => {
    const { name } = item.content
    const number = at + 1
    return times.get(name) === 1 ? name : t`${name}, ${number} of ${count}`
  })
}

interface FileProps {
  item: FileItem
  view: FileView
  /** Tells it from the others of the card. */
  label: string
  on: Ground
  isRoomy: boolean
}

const File = memo(function File({ item, view, label, on, isRoomy }: FileProps) {
  useLanguage()
  const { content } = item
  const row = useMemo(
    () => ({ ...batchRow([{ size: content.size, view }]).row, ...only(view.rows) }),
    [content, view],
  )
  const ref = useRef<HTMLLIElement>(null)
  const keeps = useKeptFocus(ref)
  return (
    <li ref={ref} className={css.file} {...keeps}>
      {isRoomy ? (
        <Tile icon={iconOf(content)} gradient={gradientOf(item.id)} />
      ) : (
        <span className={css.icon}>
          <Icon of={iconOf(content)} size={on === 'note' ? 16 : 18} />
        </span>
      )}
      <div className={css.words}>
        <div className={css.name}>
          <FileName name={content.name} />
        </div>
        <Meta row={row} size={content.size} />
        {hasBar(row) && <RowProgress row={row} content={content} to={null} on={on} />}
      </div>
      <FileTools item={item} view={view} label={label} row={row} on={on} />
    </li>
  )
})

function hasBar({ status }: FileRow): boolean {
  return isUnderWay(status) || status === 'failed'
}

/** A single transfer is shown as it is; of several only their sum. */
function only(rows: readonly FileRow[]): Partial<FileRow> {
  const [row, ...others] = rows
  return row && others.length === 0 ? row : {}
}

function Meta({ row, size }: { row: FileRow; size: number }) {
  const isTold = row.status === 'failed' || isWaiting(row)
  return (
    <div className={css.meta}>
      <span>{formatBytes(size)}</span>
      {row.way && <span>{labelOf(row.way).label}</span>}
      {isTold && <span>{row.text}</span>}
      {/* The card says why. */}
      {row.status === 'lost' && <span>{t`No longer here`}</span>}
    </div>
  )
}

function FileTools({ item, view, label: name, row, on }: Omit<FileProps, 'isRoomy'> & { row: FileRow }) {
  const { actions } = useApp()
  const act = useFileAction(item)
  const mayShare = useMayShare()
  const isSaving = useIsSaving(item.id)
  const isStoppable = row.actions.includes('cancel')
  // The bar of what waits says enough, beside the word for it.
  const percent = isUnderWay(row.status) && !isWaiting(row)
  return (
    <div className={css.tools}>
      {percent && <span className={css.percent}>{rightText(row, item.content.size, null)}</span>}
      {row.actions.includes('receive') && (
        <button
          type="button"
          className={css.take}
          data-on={on}
          aria-label={t`Receive ${name}`}
          onClick={() => act('receive', row)}
        >
          {t`Receive`}
        </button>
      )}
      {isReceived(view) && canSave(view) && (
        <SaveControl
          id={item.id}
          url={view.url}
          name={item.content.name}
          className={css.take}
          data-on={on}
          title={item.content.name}
          aria-label={isSaving ? undefined : t`Save ${name}`}
        >
          {isSaving ? t`Saving...` : t`Save`}
        </SaveControl>
      )}
      {row.status === 'done' && !isReceived(view) && <Icon of={CircleCheck} size={18} />}
      <RowTools row={row} item={item} on={on} />
      {!isStoppable && mayShare && (
        <span className={css.remove}>
          <IconButton
            icon={Trash2}
            label={t`Delete ${name}`}
            look={on === 'note' ? 'well' : 'bar'}
            iconSize={on === 'note' ? 15 : 18}
            onClick={() => actions.deleteItem(item.id)}
          />
        </span>
      )}
    </div>
  )
}
