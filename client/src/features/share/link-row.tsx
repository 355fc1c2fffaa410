import Copy from 'lucide-react/icons/copy'
import Link from 'lucide-react/icons/link'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import { useState } from 'react'
import type { Beam, LinkAccess } from '../../protocol/bindings'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { Select } from '../../ui/select'
import { useApp } from '../actions'
import { LINK_ACCESS } from './levels'
import css from './link-row.module.css'

/** The link, and what it allows people without a share. */
export function LinkRow({ beam }: { beam: Beam }) {
  const { beams } = useApp().actions
  const [asking, setAsking] = useState(false)
  return (
    <div className={css.row}>
      <Icon of={Link} size={18} />
      <span className={css.words}>Anyone with the link</span>
      <Select<LinkAccess>
        look="row"
        label="Anyone with the link"
        value={beam.link_access}
        options={LINK_ACCESS}
        onChange={(access) => void beams.setLinkAccess(beam, access)}
      />
      <IconButton
        icon={Copy}
        label="Copy link"
        look="small"
        iconSize={16}
        onClick={() => void beams.copyLinkOf(beam.beam_id)}
      />
      <IconButton
        icon={RefreshCw}
        label="Renew link"
        look="small"
        iconSize={16}
        onClick={() => setAsking(true)}
      />
      {asking && (
        <ConfirmDialog
          title="Renew link"
          question="The beam gets a new link. You and the people named here go along, all others join again."
          warning="The old link and its code stop working."
          action="Renew link"
          onConfirm={() => void beams.renewLink(beam)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
