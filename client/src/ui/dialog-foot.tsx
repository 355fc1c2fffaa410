import type { ReactNode } from 'react'
import css from './dialog.module.css'

/** The buttons of a dialog, the main action last. On phones they share the width. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={css.foot}>{children}</div>
}
