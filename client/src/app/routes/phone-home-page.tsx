import { PhoneHome } from '../../features/joiner/phone-home'
import { PhoneShell } from '../shell/phone-shell'

export function PhoneHomePage() {
  return (
    <PhoneShell toasts="composer">
      <PhoneHome />
    </PhoneShell>
  )
}
