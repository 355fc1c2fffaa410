/** The content of the three tabs of My Beams, and what they show while it loads. */
import { t } from '@lingui/core/macro'
import Bookmark from 'lucide-react/icons/bookmark'
import CircleAlert from 'lucide-react/icons/circle-alert'
import LogOut from 'lucide-react/icons/log-out'
import UserPlus from 'lucide-react/icons/user-plus'
import Users from 'lucide-react/icons/users'
import { type ReactNode, useState } from 'react'
import type { Beam, BeamShare, SharedBeam } from '../../protocol/bindings'
import { Avatar } from '../../ui/avatar'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { type Glyph, Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { Skeleton } from '../../ui/skeleton'
import { useApp } from '../actions'
import { beamName } from '../session/beam-text'
import { levelLabel } from '../share/levels'
import { fullName, type Recipient, recipientOf } from '../share/person'
import { ShareControls } from '../share/share-controls'
import { BeamCard } from './beam-card'
import { BeamMenu } from './beam-menu'
import css from './beam-tabs.module.css'

export function MineTab({ beams, newBeam }: { beams: readonly Beam[]; newBeam: ReactNode }) {
  if (beams.length === 0) {
    return (
      <Empty icon={Bookmark} title={t`No Beams Yet`} text={t`Create your first beam to get started`}>
        {newBeam}
      </Empty>
    )
  }
  return (
    <ul className={css.grid} aria-label={t`My Beams`}>
      {beams.map((beam) => (
        <li key={beam.beam_id}>
          <BeamCard beam={beam}>
            <ShareButton beam={beam} />
            <BeamMenu beam={beam} />
          </BeamCard>
        </li>
      ))}
    </ul>
  )
}

export function SharedWithMeTab({ shares }: { shares: readonly SharedBeam[] }) {
  const [leaving, setLeaving] = useState<SharedBeam | null>(null)
  const { beams } = useApp().actions
  if (shares.length === 0) {
    return (
      <Empty icon={Users} title={t`No Shared Beams`} text={t`No one has shared any beams with you yet`} />
    )
  }
  return (
    <>
      <ul className={css.grid} aria-label={t`Shared With Me`}>
        {shares.map((share) => (
          <li key={share.id}>
            <BeamCard beam={share.beam} line={<OwnerLine share={share} />}>
              {share.share_type === 'admin' && <ShareButton beam={share.beam} />}
              <IconButton icon={LogOut} label={t`Leave Beam`} onClick={() => setLeaving(share)} />
            </BeamCard>
          </li>
        ))}
      </ul>
      {leaving && (
        <ConfirmDialog
          title={t`Leave Beam`}
          question={leaveQuestion(beamName(leaving.beam.beam_name))}
          warning={leaveWarning(leaving.owner.username)}
          action={t`Leave Beam`}
          onConfirm={() => void beams.leave(leaving)}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  )
}

function OwnerLine({ share: { owner, share_type } }: { share: SharedBeam }) {
  const name = fullName(owner)
  return (
    <>
      <Avatar name={name} picture={owner.profile_picture} size={24} />
      <span className={css.who}>{name}</span>
      <span>{levelLabel(share_type)}</span>
    </>
  )
}

export function MySharesTab({ shares }: { shares: readonly BeamShare[] }) {
  if (shares.length === 0) {
    return (
      <Empty icon={Users} title={t`No Shared Beams`} text={t`You haven't shared any beams with others yet`} />
    )
  }
  return (
    <ul className={css.grid} aria-label={t`My Shares`}>
      {shares.map((share) => (
        <li key={share.id}>
          <BeamCard
            beam={share.beam}
            line={
              <>
                <RecipientName {...recipientOf(share)} />
                <ShareControls share={share} />
              </>
            }
          >
            <ShareButton beam={share.beam} />
          </BeamCard>
        </li>
      ))}
    </ul>
  )
}

function RecipientName({ username, name, picture }: Recipient) {
  return (
    <>
      <Avatar name={name ?? username} picture={picture} size={24} />
      <span className={css.who} title={`@${username}`}>
        {name ?? `@${username}`}
      </span>
    </>
  )
}

function ShareButton({ beam }: { beam: Beam }) {
  const { beams } = useApp().actions
  return (
    <IconButton
      icon={UserPlus}
      label={t`Share`}
      aria-haspopup="dialog"
      onClick={() => void beams.openSharing(beam)}
    />
  )
}

export function BeamsLoading() {
  return (
    <div className={css.grid} role="status" aria-label={t`Loading ...`}>
      {['first', 'second', 'third'].map((place) => (
        <Skeleton key={place} className={css.skeleton} />
      ))}
    </div>
  )
}

export function BeamsFailed() {
  const { beams } = useApp().actions
  return (
    <div role="alert">
      <Empty
        icon={CircleAlert}
        title={t`Failed to fetch beams`}
        text={t`The server did not answer as it should. Is it running, and are you online?`}
      >
        <Button onClick={() => void beams.load()}>{t`Retry`}</Button>
      </Empty>
    </div>
  )
}

interface EmptyProps {
  icon: Glyph
  title: string
  text: string
  children?: ReactNode
}

function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div className={css.empty}>
      <Icon of={icon} size={40} />
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div className={css.button}>{children}</div>}
    </div>
  )
}

function leaveQuestion(beam: string): string {
  return t`Are you sure you want to leave ${beam}?`
}

function leaveWarning(owner: string): string {
  return t`Only ${owner} or an admin can share it with you again.`
}
