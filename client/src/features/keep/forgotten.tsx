import { t } from '@lingui/core/macro'
import { useIsForgotten } from '../session/keeping'
import css from './forgotten.module.css'

/** Says why a beam is empty in which something was shared. Nothing for any other beam. */
export function Forgotten() {
  if (!useIsForgotten()) return null
  return (
    <p className={css.note} role="status">
      {t`What was shared here is no longer here. It stays for a minute after the last device leaves, or as long as somebody asks to keep it.`}
    </p>
  )
}
