import Clock from 'lucide-react/icons/clock'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import Unplug from 'lucide-react/icons/unplug'
import Upload from 'lucide-react/icons/upload'
import X from 'lucide-react/icons/x'
import type { Item, ItemContent } from '../../protocol/item'
import { deviceName } from '../../stores/devices'
import { Badge } from '../../ui/badge'
import { IconButton } from '../../ui/icon-button'
import { Progress } from '../../ui/progress'
import { Tile } from '../../ui/tile'
import { useHouse } from '../actions'
import { iconOf } from '../item/describe'
import { AskButtons } from './ask-buttons'
import { DownloadLink } from './download-link'
import { FileName } from './file-name'
import { type FileAction, type FileRow, type FileView, fraction, isReceived } from './file-view'
import { formatBytes, formatPart } from './format-bytes'
import css from './note-file.module.css'
import { PATHS } from './path-label'
import { useFileAction, useProgressTexts } from './use-file'

type FileContent = Extract<ItemContent, { kind: 'file' }>

/** A file on a note: what it is, how far it got on each way, and what can be done about it. */
export function NoteFile({ item, content, view }: { item: Item; content: FileContent; view: FileView }) {
  const [only] = view.rows
  const part =
    view.rows.length === 1 && only && only.bytes !== null && only.status !== 'done' ? only.bytes : null
  return (
    <div>
      <div className={css.head}>
        <Tile icon={iconOf(content)} />
        <div className={css.names}>
          <FileName name={content.name} />
          <div className={css.size}>
            {part === null || part === 0 ? formatBytes(content.size) : formatPart(part, content.size)}
          </div>
        </div>
        {isReceived(view) && view.url && <DownloadLink url={view.url} name={content.name} look="solid" />}
      </div>
      {view.rows.map((row) => (
        <Row key={row.device ?? ''} row={row} item={item} content={content} named={view.rows.length > 1} />
      ))}
    </div>
  )
}

interface RowProps {
  row: FileRow
  item: Item
  content: FileContent
  /** Says which device it is about. */
  named: boolean
}

function Row({ row, item, content, named }: RowProps) {
  const { left, right } = useProgressTexts(row, content.size)
  const { stores } = useHouse()
  const to = row.device && named ? deviceName(stores.devices.getState(), row.device) : null
  return (
    <div className={css.row}>
      {to && <div className={css.to}>To {to}</div>}
      {row.bytes !== null && (
        <Progress
          value={fraction(row.bytes, content.size)}
          label={to ? `Progress of ${content.name} to ${to}` : `Progress of ${content.name}`}
          look="note"
        />
      )}
      <div className={css.texts}>
        <span>{left}</span>
        <span>{right}</span>
      </div>
      {(row.path || row.actions.length > 0 || CHIPS[row.status]) && (
        <div className={css.foot}>
          <StateChip row={row} />
          <span className={css.gap} />
          <RowButtons row={row} item={item} />
        </div>
      )}
    </div>
  )
}

function StateChip({ row }: { row: FileRow }) {
  if (row.path) {
    const { label, icon } = PATHS[row.path]
    return (
      <Badge tone="note" icon={icon}>
        {label}
      </Badge>
    )
  }
  const chip = CHIPS[row.status]
  return chip ? (
    <Badge tone="note" icon={chip.icon}>
      {chip.label}
    </Badge>
  ) : null
}

const CHIPS: Partial<Record<FileRow['status'], { label: string; icon: typeof Clock }>> = {
  // Towards a device it has the name of its way instead.
  moving: { label: 'Uploading', icon: Upload },
  queued: { label: 'Queued', icon: Clock },
  parked: { label: 'Parked', icon: Unplug },
}

function RowButtons({ row, item }: { row: FileRow; item: Item }) {
  const act = useFileAction(item)
  const has = (action: FileAction) => row.actions.includes(action)
  return (
    <>
      <AskButtons actions={row.actions} look="note" onAct={(action) => act(action, row)} />
      {has('retry') && (
        <IconButton
          icon={RefreshCw}
          label="Retry"
          look="well"
          iconSize={16}
          onClick={() => act('retry', row)}
        />
      )}
      {has('cancel') && (
        <IconButton icon={X} label="Cancel" look="well" iconSize={16} onClick={() => act('cancel', row)} />
      )}
    </>
  )
}
