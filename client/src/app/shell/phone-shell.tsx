import type { ReactNode } from 'react'
import { StatusPill } from '../../features/devices/status-pill'
import { useProduct } from '../../features/session/beam'
import { Toasts } from '../../features/toasts/toasts'
import { Mark } from '../../ui/mark'
import css from './phone-shell.module.css'
import { PhoneTabs } from './phone-tabs'

/** The frame of narrow screens: head, one column, tabs within reach of the thumb. */
export function PhoneShell({
  toasts,
  children,
}: {
  toasts: 'composer' | 'floating' | 'page'
  children: ReactNode
}) {
  const { name } = useProduct()
  return (
    <div className={css.shell}>
      <header className={css.head}>
        <Mark />
        <span className={css.name}>{name}</span>
        <StatusPill phone />
      </header>
      <div className={css.content}>{children}</div>
      <PhoneTabs />
      <Toasts place={toasts} />
    </div>
  )
}
