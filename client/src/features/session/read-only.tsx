import { t } from '@lingui/core/macro'
import Eye from 'lucide-react/icons/eye'
import { Icon } from '../../ui/icon'
import css from './read-only.module.css'

/** Shown in place of the share actions in a beam that this device may only read. */
export function ReadOnly() {
  return (
    <p className={css.line}>
      <Icon of={Eye} size={16} />
      {t`You can only read in this beam`}
    </p>
  )
}
