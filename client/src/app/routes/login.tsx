import { LoginForm } from '../../features/account/login-form'
import { EntranceShell } from '../shell/entrance-shell'
import { usePageTitle } from '../shell/page-title'
import { ForVisitors } from './guards'

export function LoginRoute() {
  usePageTitle('Login')
  return (
    <ForVisitors>
      <EntranceShell>
        <LoginForm />
      </EntranceShell>
    </ForVisitors>
  )
}
