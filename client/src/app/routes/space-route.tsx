import { t } from '@lingui/core/macro'
import { Space } from '../../features/space/space'
import { Column, DesktopShell } from '../shell/desktop-shell'
import { Loading } from '../shell/loading'
import { usePageTitle } from '../shell/page-title'
import { PhoneShell } from '../shell/phone-shell'
import { useViewportClass } from '../viewport'

export function SpaceRoute() {
  usePageTitle(t`Space`)
  const viewport = useViewportClass()
  if (viewport === 'undetermined') return <Loading />
  if (viewport === 'mobile') {
    return (
      <PhoneShell toasts="floating">
        <Space />
      </PhoneShell>
    )
  }
  return (
    <DesktopShell>
      <Column>
        <Space />
      </Column>
    </DesktopShell>
  )
}
