import { t } from '@lingui/core/macro'
import { RegisterForm } from '../../features/account/register-form'
import { EntranceShell } from '../shell/entrance-shell'
import { usePageTitle } from '../shell/page-title'
import { ForVisitors } from './guards'

export function RegisterRoute() {
  usePageTitle(t`Register`)
  return (
    <ForVisitors>
      <EntranceShell>
        <RegisterForm />
      </EntranceShell>
    </ForVisitors>
  )
}
