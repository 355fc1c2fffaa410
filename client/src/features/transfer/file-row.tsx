/** The parts of a transfer that notes and lists show alike. Each has its own layout. */
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import Clock from 'lucide-react/icons/clock'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import Unplug from 'lucide-react/icons/unplug'
import Upload from 'lucide-react/icons/upload'
import X from 'lucide-react/icons/x'
import type { Item, ItemContent } from '../../protocol/item'
import { deviceName } from '../../stores/devices'
import { Badge } from '../../ui/badge'
import type { Glyph } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { Progress } from '../../ui/progress'
import { useApp } from '../actions'
import { type FileRow, fraction } from './file-view'
import { labelOf } from './path-label'
import { PauseButton } from './pause-button'
import { useFileAction } from './use-file'

/** The background: the gradient of a note, or the page. */
export type Ground = 'note' | 'page'

export type FileContent = Extract<ItemContent, { kind: 'file' }>

export interface FileRowProps {
  row: FileRow
  item: Item
  content: FileContent
  /** Whether to name the device, because there is more than one row. */
  named: boolean
}

/** Returns the device's name for a row; null when the row does not name it. */
export function useRecipient({ row, named }: Pick<FileRowProps, 'row' | 'named'>): string | null {
  const { stores } = useApp()
  return row.device && named ? deviceName(stores.devices.getState(), row.device) : null
}

/** The progress bar; nothing while there is no progress to show. */
export function RowProgress(
  props: Pick<FileRowProps, 'row' | 'content'> & { to: string | null; on: Ground },
) {
  const { row, content, to: device, on } = props
  const { name } = content
  if (row.bytes === null || (on === 'page' && row.status === 'done')) return null
  return (
    <Progress
      value={fraction(row.bytes, content.size)}
      label={device ? t`Progress of ${name} to ${device}` : t`Progress of ${name}`}
      look={on === 'page' && isWaiting(row) ? 'dim' : on}
    />
  )
}

/** Whether it waits for somebody, so that its bar does not look as if it moved. */
export function isWaiting({ status }: FileRow): boolean {
  return status === 'parked' || status === 'paused'
}

const BUTTONS = { note: { look: 'well', iconSize: 16 }, page: { look: 'fill', iconSize: 20 } } as const

/** Pause, Resume, Retry and Cancel, where they are possible. */
export function RowTools({ row, item, on }: Pick<FileRowProps, 'row' | 'item'> & { on: Ground }) {
  const act = useFileAction(item)
  return (
    <>
      <PauseButton actions={row.actions} {...BUTTONS[on]} onAct={(action) => act(action, row)} />
      {row.actions.includes('retry') && (
        <IconButton icon={RefreshCw} label={t`Retry`} {...BUTTONS[on]} onClick={() => act('retry', row)} />
      )}
      {row.actions.includes('cancel') && (
        <IconButton icon={X} label={t`Cancel`} {...BUTTONS[on]} onClick={() => act('cancel', row)} />
      )}
    </>
  )
}

const STATES: Partial<Record<FileRow['status'], { label: MessageDescriptor; icon: Glyph }>> = {
  // A transfer to a device shows its way instead.
  moving: { label: msg`Uploading`, icon: Upload },
  queued: { label: msg`Queued`, icon: Clock },
  parked: { label: msg`Parked`, icon: Unplug },
}

/** Whether this row has a badge. */
export function hasBadge(row: FileRow): boolean {
  return row.way !== null || STATES[row.status] !== undefined
}

/** The way of the transfer, or what it waits for. */
export function StateBadge({ row, on }: { row: FileRow; on: Ground }) {
  if (row.way) {
    const { label, icon, tone } = labelOf(row.way)
    return (
      <Badge tone={on === 'note' ? 'note' : tone} icon={icon}>
        {label}
      </Badge>
    )
  }
  const state = STATES[row.status]
  if (!state) return null
  return (
    <Badge tone={on === 'note' ? 'note' : 'plain'} icon={state.icon}>
      {i18n._(state.label)}
    </Badge>
  )
}
