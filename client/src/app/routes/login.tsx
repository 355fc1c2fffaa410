import { t } from '@lingui/core/macro'
import { LoginForm } from '../../features/account/login-form'
import { EntranceShell } from '../shell/entrance-shell'
import { usePageTitle } from '../shell/page-title'
import { ForVisitors } from './guards'

export function LoginRoute() {
  usePageTitle(t`Login`)
  return (
    <ForVisitors>
      <EntranceShell>
        <LoginForm />
      </EntranceShell>
    </ForVisitors>
  )
}
