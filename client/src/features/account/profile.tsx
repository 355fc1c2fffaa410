import { t } from '@lingui/core/macro'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import Camera from 'lucide-react/icons/camera'
import LogOut from 'lucide-react/icons/log-out'
import Pencil from 'lucide-react/icons/pencil'
import { type ReactNode, useId, useState } from 'react'
import { Link } from 'react-router'
import type { User } from '../../protocol/bindings'
import { Avatar } from '../../ui/avatar'
import { Button, buttonClass } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { paths } from '../paths'
import { DeleteAccountDialog } from './delete-account-dialog'
import css from './profile.module.css'
import { ProfileForm } from './profile-form'
import type { OpenVaultDialog } from './vault-dialogs'
import { VaultSection } from './vault-section'

type Mode = 'view' | 'edit' | 'deleting'

/** The profile page: shows, changes and deletes a person's own account. */
export function Profile({
  user,
  openVault,
  onLogOut,
}: {
  user: User
  openVault: (dialog: OpenVaultDialog) => void
  onLogOut: () => void
}) {
  const [mode, setMode] = useState<Mode>('view')
  const view = () => setMode('view')
  return (
    <main className={css.page}>
      <Link className={buttonClass({ look: 'ghost', size: 'sm' })} to={paths.home}>
        <Icon of={ArrowLeft} size={16} />
        {t`Back to Home`}
      </Link>
      <Head user={user} isEditing={mode === 'edit'}>
        <Button icon={Pencil} onClick={() => setMode('edit')}>
          {t`Edit Profile`}
        </Button>
      </Head>
      <section className={css.card}>
        <h2>{t`Account information`}</h2>
        {mode === 'edit' ? <ProfileForm user={user} onDone={view} /> : <Facts user={user} />}
      </section>
      {mode !== 'edit' && (
        <>
          <VaultSection className={css.card} open={openVault} />
          <section className={css.card}>
            <div className={css.danger}>
              <div>
                <h2>{t`Delete Account`}</h2>
                <p>{t`Removes your beams, notes and shares for good.`}</p>
              </div>
              <Button look="danger-quiet" onClick={() => setMode('deleting')}>
                {t`Delete Account`}
              </Button>
            </div>
          </section>
          <p className={css.out}>
            <Button look="ghost" icon={LogOut} onClick={onLogOut}>
              {t`Logout`}
            </Button>
          </p>
        </>
      )}
      {mode === 'deleting' && <DeleteAccountDialog onClose={view} />}
    </main>
  )
}

function Head({ user, isEditing, children }: { user: User; isEditing: boolean; children: ReactNode }) {
  const name = `${user.first_name} ${user.last_name}`
  return (
    <div className={css.head}>
      <div className={css.picture}>
        <Avatar name={name} picture={user.profile_picture} size={96} />
        {!isEditing && <ChangePicture />}
      </div>
      <div className={css.name}>
        <h1>{name}</h1>
        <p>
          <bdi>@{user.username}</bdi>
        </p>
      </div>
      {!isEditing && children}
    </div>
  )
}

/** Choosing a picture saves it (P20). */
function ChangePicture() {
  const { actions } = useApp()
  const id = useId()
  return (
    <>
      <input
        id={id}
        className={css.file}
        type="file"
        accept="image/jpeg,image/png,image/webp"
        onChange={async (event) => {
          const input = event.currentTarget
          const [file] = input.files ?? []
          if (file) await actions.account.changePicture(file)
          input.value = ''
        }}
      />
      <label htmlFor={id} className={css.camera} title={t`Change the picture`}>
        <Icon of={Camera} size={16} />
        <span className="visually-hidden">{t`Change the picture`}</span>
      </label>
    </>
  )
}

function Facts({ user }: { user: User }) {
  return (
    <dl className={css.facts}>
      <dt>{t`Full name`}</dt>
      <dd>
        {user.first_name} {user.last_name}
      </dd>
      <dt>{t`Username`}</dt>
      <dd>{user.username}</dd>
      <dt>{t`Email`}</dt>
      <dd>{user.email}</dd>
    </dl>
  )
}
