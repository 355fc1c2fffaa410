import { t } from '@lingui/core/macro'
import X from 'lucide-react/icons/x'
import { useState } from 'react'
import type { BeamShare, Level } from '../../protocol/bindings'
import { IconButton } from '../../ui/icon-button'
import { Select } from '../../ui/select'
import { useApp } from '../actions'
import { LEVELS, levelOptions } from './levels'
import { RemoveShareDialog } from './remove-share-dialog'

interface ShareControlsProps {
  share: BeamShare
  /** The levels to choose from; an admin cannot make others admins. */
  levels?: readonly Level[]
}

/** Changes the level of one share, or removes it. */
export function ShareControls({ share, levels = LEVELS }: ShareControlsProps) {
  const { beams } = useApp().actions
  const [asking, setAsking] = useState(false)
  const name = share.shared_with
  return (
    <>
      <Select<Level>
        look="row"
        label={t`Permission of ${name}`}
        value={share.share_type}
        options={levelOptions(levels)}
        onChange={(level) => void beams.changeLevel(share, level)}
      />
      <IconButton
        icon={X}
        label={t`Remove access for ${name}`}
        look="small"
        onClick={() => setAsking(true)}
      />
      {asking && <RemoveShareDialog share={share} onClose={() => setAsking(false)} />}
    </>
  )
}
