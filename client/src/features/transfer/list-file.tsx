import Clock from 'lucide-react/icons/clock'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import Unplug from 'lucide-react/icons/unplug'
import Upload from 'lucide-react/icons/upload'
import X from 'lucide-react/icons/x'
import type { Item } from '../../protocol/item'
import { deviceName } from '../../stores/devices'
import { Badge } from '../../ui/badge'
import type { Glyph } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { Progress } from '../../ui/progress'
import { useHouse } from '../actions'
import { AskButtons } from './ask-buttons'
import { type FileRow, fraction } from './file-view'
import css from './list-file.module.css'
import { PATHS } from './path-label'
import { useFileAction, useProgressTexts } from './use-file'

/** The buttons of a file's way, beside its name. */
export function RowTools({ row, item }: { row: FileRow; item: Item }) {
  const act = useFileAction(item)
  return (
    <>
      {row.actions.includes('retry') && (
        <IconButton
          icon={RefreshCw}
          label="Retry"
          look="fill"
          iconSize={20}
          onClick={() => act('retry', row)}
        />
      )}
      {row.actions.includes('cancel') && (
        <IconButton icon={X} label="Cancel" look="fill" iconSize={20} onClick={() => act('cancel', row)} />
      )}
    </>
  )
}

interface ProgressRowProps {
  row: FileRow
  item: Item
  name: string
  size: number
  /** Says which device it is about and carries its own buttons. */
  named: boolean
}

/** How far a file got on one way. */
export function ProgressRow({ row, item, name, size, named }: ProgressRowProps) {
  const { left, right } = useProgressTexts(row, size)
  const { stores } = useHouse()
  const act = useFileAction(item)
  const to = row.device && named ? deviceName(stores.devices.getState(), row.device) : null
  const asks = row.actions.includes('receive')
  return (
    <div className={css.row}>
      {to && (
        <div className={css.to}>
          <span>To {to}</span>
          <RowTools row={row} item={item} />
        </div>
      )}
      {row.bytes !== null && row.status !== 'done' && (
        <Progress
          value={fraction(row.bytes, size)}
          label={to ? `Progress of ${name} to ${to}` : `Progress of ${name}`}
          look={row.status === 'parked' ? 'dim' : 'page'}
        />
      )}
      <div className={css.texts}>
        <span>{[left, right].filter(Boolean).join(' · ')}</span>
        <StateBadge row={row} />
      </div>
      {asks && (
        <div className={css.ask}>
          <AskButtons actions={row.actions} look="page" onAct={(action) => act(action, row)} />
        </div>
      )}
    </div>
  )
}

const STATES: Partial<Record<FileRow['status'], { label: string; icon: Glyph }>> = {
  // Towards a device it has the name of its way instead.
  moving: { label: 'Uploading', icon: Upload },
  queued: { label: 'Queued', icon: Clock },
  parked: { label: 'Parked', icon: Unplug },
}

function StateBadge({ row }: { row: FileRow }) {
  if (row.path) {
    const { label, icon, tone } = PATHS[row.path]
    return (
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    )
  }
  const state = STATES[row.status]
  return state ? <Badge icon={state.icon}>{state.label}</Badge> : null
}
