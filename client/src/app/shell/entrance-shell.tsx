import type { ReactNode } from 'react'
import { Toasts } from '../../features/toasts/toasts'
import { useViewportClass } from '../viewport'
import css from './entrance-shell.module.css'
import { Loading } from './loading'
import { MainNav } from './main-nav'
import { PhoneShell } from './phone-shell'

/** The frame of Login and Register: links to the other pages, and nothing of the beam. */
export function EntranceShell({ children }: { children: ReactNode }) {
  const viewport = useViewportClass()
  if (viewport === 'undetermined') return <Loading />
  if (viewport === 'mobile') {
    return (
      <PhoneShell toasts="page" ground="surface">
        {children}
      </PhoneShell>
    )
  }
  return (
    <div className={css.shell}>
      {children}
      <div className={css.nav}>
        <MainNav />
      </div>
      <Toasts place="page" />
    </div>
  )
}
