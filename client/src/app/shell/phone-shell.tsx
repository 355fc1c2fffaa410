import type { ReactNode } from 'react'
import { BeamMenu } from '../../features/beam/beam-menu'
import { StatusPill } from '../../features/devices/status-pill'
import { useProduct } from '../../features/session/beam'
import { InsecureBar } from '../../features/session/insecure-bar'
import { PageFooter } from '../../features/session/page-footer'
import { Toasts } from '../../features/toasts/toasts'
import { cx } from '../../ui/cx'
import { Mark } from '../../ui/mark'
import { ErrorBoundary } from '../error-boundary'
import css from './phone-shell.module.css'
import { PhoneTabs } from './phone-tabs'

/** The frame of narrow screens: a head, one column, and tabs within reach of the thumb. */
export function PhoneShell({
  toasts,
  ground = 'page',
  children,
}: {
  toasts: 'composer' | 'floating' | 'page'
  /** The background of the content: `page` for cards, `surface` for a form. */
  ground?: 'page' | 'surface'
  children: ReactNode
}) {
  const { name } = useProduct()
  return (
    <ErrorBoundary>
      <div className={cx(css.shell, ground === 'surface' && css.surface)}>
        <header className={css.head}>
          <Mark />
          <bdi className={css.name}>{name}</bdi>
          <StatusPill phone />
          <BeamMenu on="phone" />
        </header>
        <div className={css.notice}>
          <InsecureBar />
        </div>
        <div className={css.content}>{children}</div>
        <div className={css.foot}>
          <PageFooter />
        </div>
        <PhoneTabs />
        <Toasts place={toasts} />
      </div>
    </ErrorBoundary>
  )
}
