import { t } from '@lingui/core/macro'
import { NavLink } from 'react-router'
import { useStore } from 'zustand'
import { useApp } from '../../features/actions'
import { paths } from '../../features/paths'
import { Avatar } from '../../ui/avatar'
import { useLogOut } from './log-out'
import css from './main-nav.module.css'

/** The main navigation on wide screens. */
export function MainNav() {
  const account = useStore(useApp().stores.account, (state) => state)
  const logOut = useLogOut()
  return (
    <nav className={css.nav} aria-label={t`Main`}>
      <NavLink to={paths.home} end>
        {t`Home`}
      </NavLink>
      {account.status === 'anonymous' && (
        <>
          <NavLink to={paths.login}>{t`Login`}</NavLink>
          <NavLink to={paths.register}>{t`Register`}</NavLink>
        </>
      )}
      {account.status === 'authenticated' && (
        <>
          <NavLink to={paths.beams}>{t`Beams`}</NavLink>
          <NavLink to={paths.profile}>
            {account.user.profile_picture && (
              <Avatar name={account.user.first_name} picture={account.user.profile_picture} size={22} />
            )}
            {t`Profile`}
          </NavLink>
          <span className={css.line} />
          <button type="button" onClick={logOut}>
            {t`Logout`}
          </button>
        </>
      )}
    </nav>
  )
}
