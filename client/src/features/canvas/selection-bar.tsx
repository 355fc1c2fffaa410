/** The bar of the selected notes: what can be done with all of them at once. */

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
import AlignMiddle from 'lucide-react/icons/align-center-horizontal'
import AlignCentre from 'lucide-react/icons/align-center-vertical'
import AlignBottom from 'lucide-react/icons/align-end-horizontal'
import AlignRight from 'lucide-react/icons/align-end-vertical'
import DistributeAcross from 'lucide-react/icons/align-horizontal-space-between'
import AlignTop from 'lucide-react/icons/align-start-horizontal'
import AlignLeft from 'lucide-react/icons/align-start-vertical'
import DistributeDown from 'lucide-react/icons/align-vertical-space-between'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import Trash2 from 'lucide-react/icons/trash-2'
import X from 'lucide-react/icons/x'
import { useCallback, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { savableOf } from '../../stores/downloads'
import { useDismiss } from '../../ui/dismiss'
import { heightAs } from '../../ui/height-property'
import type { Glyph } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { useApp } from '../actions'
import { useMayShare } from '../session/beam'
import type { Axis, Edge } from './arranging'
import css from './selection-bar.module.css'
import { useCommands } from './use-commands'

/** Toasts are above it. */
const height = heightAs('--menu', 8)

const EDGES: readonly { edge: Edge; label: MessageDescriptor; icon: Glyph }[] = [
  { edge: 'left', label: msg`Align left`, icon: AlignLeft },
  { edge: 'centre', label: msg`Align centre`, icon: AlignCentre },
  { edge: 'right', label: msg`Align right`, icon: AlignRight },
  { edge: 'top', label: msg`Align top`, icon: AlignTop },
  { edge: 'middle', label: msg`Align middle`, icon: AlignMiddle },
  { edge: 'bottom', label: msg`Align bottom`, icon: AlignBottom },
]

const AXES: readonly { axis: Axis; label: MessageDescriptor; icon: Glyph }[] = [
  { axis: 'horizontal', label: msg`Distribute horizontally`, icon: DistributeAcross },
  { axis: 'vertical', label: msg`Distribute vertically`, icon: DistributeDown },
]

export function SelectionBar({ ids }: { ids: readonly ItemId[] }) {
  const { stores, actions } = useApp()
  const commands = useCommands()
  const mayShare = useMayShare()
  // The files that have arrived change with the transfers.
  useStore(stores.transfers, (state) => state.transfers)
  const noteCount = ids.length
  const fileCount = savableOf(ids, stores).length
  return (
    <div
      ref={height}
      className={css.bar}
      role="toolbar"
      tabIndex={-1}
      aria-label={t`Selected notes`}
      data-selection-bar
      onKeyDown={(event) => {
        const isInMenu = event.target instanceof Element && event.target.role === 'menuitem'
        if (event.key === 'Escape' && !isInMenu) commands.select([])
      }}
    >
      <span className={css.count}>{plural(noteCount, { other: '# selected' })}</span>
      <IconButton icon={Copy} label={t`Copy`} onClick={() => commands.copy(ids)} />
      {fileCount > 0 && (
        <IconButton
          icon={Download}
          label={plural(fileCount, { 1: 'Download', other: 'Download # files' })}
          onClick={() => void actions.download(ids)}
        />
      )}
      {noteCount > 1 && <Arrange ids={ids} />}
      {mayShare && <IconButton icon={Trash2} label={t`Delete`} onClick={() => commands.remove(ids)} />}
      <IconButton icon={X} label={t`Select none`} onClick={() => commands.select([])} />
    </div>
  )
}

/** Align, and from three notes on Distribute, in a menu. */
function Arrange({ ids }: { ids: readonly ItemId[] }) {
  const commands = useCommands()
  const [open, setOpen] = useState(false)
  const anchor = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setOpen(false), [])
  useDismiss(anchor, open, close)
  const then = (act: () => void) => () => {
    close()
    act()
  }
  const align = EDGES.map(({ edge, label, icon }) => ({
    label: i18n._(label),
    icon,
    onSelect: then(() => commands.align(ids, edge)),
  }))
  const distribute = AXES.map(({ axis, label, icon }) => ({
    label: i18n._(label),
    icon,
    onSelect: then(() => commands.distribute(ids, axis)),
  }))
  return (
    <div ref={anchor} className={css.anchor}>
      <IconButton
        icon={AlignLeft}
        label={t`Arrange`}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div className={css.menu}>
          <Menu label={t`Arrange`} items={ids.length > 2 ? [...align, ...distribute] : align} />
        </div>
      )}
    </div>
  )
}
