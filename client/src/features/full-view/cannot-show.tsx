import { t } from '@lingui/core/macro'
import type { ReactNode } from 'react'
import css from './full-view.module.css'

/** Said in place of a file that cannot be shown; it can still be downloaded. */
export function CannotShow({ children }: { children: ReactNode }) {
  return (
    <div className={css.stage}>
      <p className={css.cannot} role="alert">
        {children} {t`You can download it.`}
      </p>
    </div>
  )
}
