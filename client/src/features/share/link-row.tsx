import { t } from '@lingui/core/macro'
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
import { LINK_ACCESS, levelOptions } from './levels'
import css from './link-row.module.css'

/** The link, and what it allows people without a share. */
export function LinkRow({ beam }: { beam: Beam }) {
  const { beams } = useApp().actions
  const [asking, setAsking] = useState(false)
  return (
    <div className={css.row}>
      <Icon of={Link} size={18} />
      <span className={css.words}>{t`Anyone with the link`}</span>
      <span className={css.tools}>
        <Select<LinkAccess>
          look="row"
          label={t`Anyone with the link`}
          value={beam.link_access}
          options={levelOptions(LINK_ACCESS)}
          onChange={(access) => void beams.setLinkAccess(beam, access)}
        />
        <IconButton
          icon={Copy}
          label={t`Copy link`}
          look="small"
          iconSize={16}
          onClick={() => void beams.copyLinkOf(beam.beam_id)}
        />
        <IconButton
          icon={RefreshCw}
          label={t`Renew link`}
          look="small"
          iconSize={16}
          onClick={() => setAsking(true)}
        />
      </span>
      {asking && (
        <ConfirmDialog
          title={t`Renew link`}
          question={t`The beam gets a new link. You and the people named here go along, all others join again.`}
          warning={t`The old link and its code stop working.`}
          action={t`Renew link`}
          onConfirm={() => void beams.renewLink(beam)}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
