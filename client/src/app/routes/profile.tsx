import { t } from '@lingui/core/macro'
import { type ReactNode, useState } from 'react'
import { Profile } from '../../features/account/profile'
import { type OpenVaultDialog, VaultDialogs } from '../../features/account/vault-dialogs'
import type { User } from '../../protocol/bindings'
import { DesktopShell } from '../shell/desktop-shell'
import { Loading } from '../shell/loading'
import { useLogOut } from '../shell/log-out'
import { usePageTitle } from '../shell/page-title'
import { PhoneShell } from '../shell/phone-shell'
import { useViewportClass } from '../viewport'
import { ForAccounts } from './guards'

export function ProfileRoute() {
  usePageTitle(t`Profile`)
  return <ForAccounts>{(user) => <ProfilePage user={user} />}</ForAccounts>
}

/** The profile in its frame. The vault's dialogs are outside of it, so that they stay open when the window becomes narrow or wide. */
function ProfilePage({ user }: { user: User }) {
  const logOut = useLogOut()
  const [vault, openVault] = useState<OpenVaultDialog>({ is: 'none' })
  return (
    <>
      <Frame>
        <Profile user={user} openVault={openVault} onLogOut={logOut} />
      </Frame>
      <VaultDialogs open={vault} onClose={() => openVault({ is: 'none' })} />
    </>
  )
}

function Frame({ children }: { children: ReactNode }) {
  const viewport = useViewportClass()
  switch (viewport) {
    case 'undetermined':
      return <Loading />
    case 'mobile':
      return <PhoneShell toasts="page">{children}</PhoneShell>
    case 'desktop':
      return <DesktopShell>{children}</DesktopShell>
  }
}
