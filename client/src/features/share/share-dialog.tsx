import { t } from '@lingui/core/macro'
import type { ReactNode } from 'react'
import type { BeamDetails, BeamShare, Level } from '../../protocol/bindings'
import { linkDefeatsReadShares, type SharingState } from '../../stores/beams'
import { Avatar } from '../../ui/avatar'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Skeleton } from '../../ui/skeleton'
import { useApp } from '../actions'
import { beamName } from '../session/beam-text'
import { LEVELS, levelLabel } from './levels'
import { LinkRow } from './link-row'
import { fullName, type Recipient, recipientOf } from './person'
import { ShareControls } from './share-controls'
import css from './share-dialog.module.css'
import { ShareForm } from './share-form'
import { ComparingHint, VaultOf } from './vault-of'

/** The people who have a share of a beam, with their levels. */
export function ShareDialog({ sharing }: { sharing: Exclude<SharingState, { status: 'closed' }> }) {
  const { beams } = useApp().actions
  const { beam } = sharing
  const name = beamName(beam.beam_name)
  return (
    <Dialog
      title={t`Share “${name}”`}
      sub={t`People you name find it under Shared With Me.`}
      width="wide"
      cross
      onClose={beams.closeSharing}
    >
      <div className={css.body}>
        {sharing.status === 'loading' && <Skeleton className={css.skeleton} />}
        {sharing.status === 'failed' && (
          <p className={css.failed} role="alert">
            {t`The people with access to this beam could not be loaded.`}
            <Button size="sm" onClick={() => void beams.openSharing(beam)}>
              {t`Retry`}
            </Button>
          </p>
        )}
        {sharing.status === 'ready' && <Sharing details={sharing.details} />}
      </div>
    </Dialog>
  )
}

function Sharing({ details }: { details: BeamDetails }) {
  const { beam, role, shares } = details
  const { beams } = useApp().actions
  const isOwner = role === 'owner'
  const levels = isOwner ? LEVELS : LEVELS.filter((level) => level !== 'admin')
  return (
    <>
      <ShareForm beam={beam} levels={levels} />
      <h3 className={css.heading}>{t`Shared with`}</h3>
      <ul>
        <OwnerRow details={details} />
        {shares.map((share) => (
          <PersonRow key={share.id} share={share} levels={levels} />
        ))}
      </ul>
      <ComparingHint />
      {linkDefeatsReadShares(beam.link_access, shares) && (
        <p className={css.warning} role="status">
          <span>
            {t`Anyone with the link can still write here, so Read Only does not stop people who have the link.`}
          </span>
          <Button size="sm" onClick={() => void beams.setLinkAccess(beam, 'read')}>
            {t`Set link to Read Only`}
          </Button>
        </p>
      )}
      <LinkRow beam={beam} />
    </>
  )
}

function OwnerRow({ details: { owner, role } }: { details: BeamDetails }) {
  const { username, profile_picture } = owner
  return (
    <Person
      username={username}
      name={fullName(owner)}
      picture={profile_picture}
      remark={role === 'owner' ? t`you` : ''}
    >
      <span className={css.role}>{t`Owner`}</span>
    </Person>
  )
}

function PersonRow({ share, levels }: { share: BeamShare; levels: readonly Level[] }) {
  // Only the owner makes admins and removes them.
  const mayManage = levels.includes(share.share_type)
  return (
    <Person {...recipientOf(share)}>
      {mayManage ? (
        <ShareControls share={share} levels={levels} />
      ) : (
        <span className={css.role}>{levelLabel(share.share_type)}</span>
      )}
      <VaultOf beam={share.beam} username={share.shared_with} />
    </Person>
  )
}

interface PersonProps extends Recipient {
  /** Shown after the username. */
  remark?: string
  /** The person's level. */
  children: ReactNode
}

function Person({ username, name, picture, remark = '', children }: PersonProps) {
  return (
    <li className={css.person}>
      <Avatar name={name ?? username} picture={picture} size={40} />
      <div className={css.words}>
        <div className={css.name} dir="auto">
          <bdi>{name ?? `@${username}`}</bdi>
        </div>
        {name !== null && (
          <div className={css.meta}>
            <bdi>@{username}</bdi>
            {remark && ` · ${remark}`}
          </div>
        )}
      </div>
      {children}
    </li>
  )
}
