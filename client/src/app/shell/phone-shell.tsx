import House from 'lucide-react/icons/house'
import Layers from 'lucide-react/icons/layers'
import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { StatusPill } from '../../features/devices/status-pill'
import { useProduct } from '../../features/session/beam'
import { Toasts } from '../../features/toasts/toasts'
import { Icon } from '../../ui/icon'
import { Mark } from '../../ui/mark'
import { paths } from '../paths'
import css from './phone-shell.module.css'

const TABS = [
  { to: paths.home, label: 'Home', icon: House },
  { to: paths.space, label: 'Space', icon: Layers },
]

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
      <nav className={css.tabs} aria-label="Main">
        {TABS.map(({ to, label, icon }) => (
          <NavLink key={to} to={to} end>
            <Icon of={icon} size={22} />
            {label}
          </NavLink>
        ))}
      </nav>
      <Toasts place={toasts} />
    </div>
  )
}
