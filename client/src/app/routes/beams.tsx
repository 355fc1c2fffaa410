import { t } from '@lingui/core/macro'
import { MyBeams } from '../../features/beams/my-beams'
import { PageFooter } from '../../features/session/page-footer'
import { DesktopShell } from '../shell/desktop-shell'
import { Loading } from '../shell/loading'
import { usePageTitle } from '../shell/page-title'
import { PhoneShell } from '../shell/phone-shell'
import { useViewportClass } from '../viewport'
import css from './beams.module.css'
import { ForAccounts } from './guards'

export function BeamsRoute() {
  usePageTitle(t`My Beams`)
  const viewport = useViewportClass()
  if (viewport === 'undetermined') return <Loading />
  return <ForAccounts>{() => (viewport === 'mobile' ? <OnPhone /> : <OnDesktop />)}</ForAccounts>
}

function OnPhone() {
  return (
    <PhoneShell toasts="page">
      <MyBeams />
    </PhoneShell>
  )
}

function OnDesktop() {
  return (
    <DesktopShell>
      <div className={css.page}>
        <MyBeams />
        <PageFooter />
      </div>
    </DesktopShell>
  )
}
