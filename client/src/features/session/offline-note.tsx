import { t } from '@lingui/core/macro'
import WifiOff from 'lucide-react/icons/wifi-off'
import { Icon } from '../../ui/icon'
import css from './offline-note.module.css'
import { useOnline } from './online'

/** Shown where a beam can be created or joined while the network is away. Disappears by itself. */
export function OfflineNote() {
  if (useOnline()) return null
  return (
    <p className={css.note} role="status">
      <Icon of={WifiOff} size={16} />
      {t`You are offline. A beam can be made or joined once you are back.`}
    </p>
  )
}
