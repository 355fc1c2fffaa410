import { t } from '@lingui/core/macro'
import { Profile } from '../../features/account/profile'
import { DesktopShell } from '../shell/desktop-shell'
import { Loading } from '../shell/loading'
import { useLogOut } from '../shell/log-out'
import { usePageTitle } from '../shell/page-title'
import { PhoneShell } from '../shell/phone-shell'
import { useViewportClass } from '../viewport'
import { ForAccounts } from './guards'

export function ProfileRoute() {
  usePageTitle(t`Profile`)
  const viewport = useViewportClass()
  const logOut = useLogOut()
  if (viewport === 'undetermined') return <Loading />
  return (
    <ForAccounts>
      {(user) => {
        const profile = <Profile user={user} onLogOut={logOut} />
        if (viewport === 'mobile') return <PhoneShell toasts="page">{profile}</PhoneShell>
        return <DesktopShell>{profile}</DesktopShell>
      }}
    </ForAccounts>
  )
}
