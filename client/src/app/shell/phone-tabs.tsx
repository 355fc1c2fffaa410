import { t } from '@lingui/core/macro'
import Bookmark from 'lucide-react/icons/bookmark'
import House from 'lucide-react/icons/house'
import Layers from 'lucide-react/icons/layers'
import LogOut from 'lucide-react/icons/log-out'
import User from 'lucide-react/icons/user'
import UserPlus from 'lucide-react/icons/user-plus'
import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { useStore } from 'zustand'
import { useApp } from '../../features/actions'
import { paths } from '../../features/paths'
import { Avatar } from '../../ui/avatar'
import { type Glyph, Icon } from '../../ui/icon'
import { useLogOut } from './log-out'
import css from './phone-tabs.module.css'

/** The main navigation on phones, within reach of the thumb. */
export function PhoneTabs() {
  const account = useStore(useApp().stores.account, (state) => state)
  return (
    <nav className={css.tabs} aria-label={t`Main`}>
      <Tab to={paths.home} label={t`Home`} icon={House} />
      <Tab to={paths.space} label={t`Space`} icon={Layers} />
      {account.status === 'anonymous' && (
        <>
          <Tab to={paths.login} label={t`Login`} icon={User} />
          <Tab to={paths.register} label={t`Register`} icon={UserPlus} />
        </>
      )}
      {account.status === 'authenticated' && (
        <>
          <Tab to={paths.beams} label={t`Beams`} icon={Bookmark} />
          <Tab to={paths.profile} label={t`Profile`} icon={User}>
            {account.user.profile_picture && (
              <Avatar name={account.user.first_name} picture={account.user.profile_picture} size={22} />
            )}
          </Tab>
          <LogOutTab />
        </>
      )}
    </nav>
  )
}

/** A tab; its children replace the icon. */
function Tab({
  to,
  label,
  icon,
  children,
}: {
  to: string
  label: string
  icon: Glyph
  children?: ReactNode
}) {
  return (
    <NavLink to={to} end>
      {children || <Icon of={icon} size={22} />}
      {label}
    </NavLink>
  )
}

function LogOutTab() {
  const logOut = useLogOut()
  return (
    <button type="button" onClick={logOut}>
      <Icon of={LogOut} size={22} />
      {t`Logout`}
    </button>
  )
}
