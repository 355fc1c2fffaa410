import { t } from '@lingui/core/macro'
import LockOpen from 'lucide-react/icons/lock-open'
import { useStore } from 'zustand'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './insecure-bar.module.css'
import { SecureAddress } from './secure-address'

/** Says on a page that came without https what follows from it, and where the same is encrypted. */
export function InsecureBar() {
  const isShown = useStore(
    useApp().stores.encryption,
    (state) => state.kind === 'insecure' && !state.isShutOut,
  )
  if (!isShown) return null
  return (
    <div className={css.bar} role="status">
      <Icon of={LockOpen} size={16} />
      <p>
        {t`Nothing on this page is encrypted, because it came without https. What others encrypt is not shown here.`}{' '}
        <SecureAddress />
      </p>
    </div>
  )
}
