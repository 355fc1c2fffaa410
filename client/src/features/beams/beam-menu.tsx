import Ellipsis from 'lucide-react/icons/ellipsis'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { useCallback, useRef, useState } from 'react'
import type { Beam } from '../../protocol/bindings'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { useDismiss } from '../../ui/dismiss'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { useApp } from '../actions'
import { beamName } from '../session/beam-text'
import css from './beam-menu.module.css'
import { RenameDialog } from './rename-dialog'

type Open = 'nothing' | 'menu' | 'rename' | 'delete'

/** The rarely used actions of an owner: rename and delete. */
export function BeamMenu({ beam }: { beam: Beam }) {
  const { beams } = useApp().actions
  const [open, setOpen] = useState<Open>('nothing')
  const anchor = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setOpen('nothing'), [])
  useDismiss(anchor, open === 'menu', close)
  const name = beamName(beam.beam_name)
  return (
    <div ref={anchor} className={css.anchor}>
      <IconButton
        icon={Ellipsis}
        label="More"
        aria-haspopup="menu"
        aria-expanded={open === 'menu'}
        onClick={() => setOpen(open === 'menu' ? 'nothing' : 'menu')}
      />
      {open === 'menu' && (
        <div className={css.menu}>
          <Menu
            label={`More of ${name}`}
            items={[
              { label: 'Rename', icon: Pencil, onSelect: () => setOpen('rename') },
              { label: 'Delete Beam', icon: Trash2, onSelect: () => setOpen('delete') },
            ]}
          />
        </div>
      )}
      {open === 'rename' && <RenameDialog beam={beam} onClose={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete Beam"
          question={`Are you sure you want to delete ${name}? Its notes and files are deleted for everybody.`}
          warning="This action cannot be undone"
          action="Delete Beam"
          onConfirm={() => void beams.remove(beam)}
          onClose={close}
        />
      )}
    </div>
  )
}
