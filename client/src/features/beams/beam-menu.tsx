import { t } from '@lingui/core/macro'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import { useState } from 'react'
import type { Beam } from '../../protocol/bindings'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { MoreMenu } from '../../ui/more-menu'
import { useApp } from '../actions'
import { beamName } from '../session/beam-text'
import { RenameDialog } from './rename-dialog'

/** The rarely used actions of an owner: rename and delete. */
export function BeamMenu({ beam }: { beam: Beam }) {
  const { beams } = useApp().actions
  const [dialog, setDialog] = useState<'none' | 'rename' | 'delete'>('none')
  const close = () => setDialog('none')
  const name = beamName(beam.beam_name)
  return (
    <>
      <MoreMenu
        label={t`More of ${name}`}
        items={[
          { label: t`Rename`, icon: Pencil, onSelect: () => setDialog('rename') },
          { label: t`Delete Beam`, icon: Trash2, onSelect: () => setDialog('delete') },
        ]}
      />
      {dialog === 'rename' && <RenameDialog beam={beam} onClose={close} />}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={t`Delete Beam`}
          question={t`Are you sure you want to delete ${name}? Its notes and files are deleted for everybody.`}
          warning={t`This action cannot be undone`}
          action={t`Delete Beam`}
          onConfirm={() => void beams.remove(beam)}
          onClose={close}
        />
      )}
    </>
  )
}
