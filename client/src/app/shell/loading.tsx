import { t } from '@lingui/core/macro'
import css from './loading.module.css'

/** Shown until it is known which page to show. */
export function Loading() {
  return <p className={css.loading}>{t`Loading ...`}</p>
}
