import type { ReactNode } from 'react'
import { BeamMenu } from '../../features/beam/beam-menu'
import { StatusPill } from '../../features/devices/status-pill'
import { Brand } from '../../features/session/brand'
import { InsecureBar } from '../../features/session/insecure-bar'
import { Toasts } from '../../features/toasts/toasts'
import { ErrorBoundary } from '../error-boundary'
import css from './desktop-shell.module.css'
import { MainNav } from './main-nav'

/**
 * The frame of wide screens: the bars that float at the top, and the page below. When an optional part does not load,
 * the frame shows the page without it.
 */
export function DesktopShell({ title, children }: { title?: ReactNode; children: ReactNode }) {
  return (
    <ErrorBoundary>
      <div className={css.shell}>
        <header className={css.header}>
          <div className={css.left}>
            {title ?? <Brand />}
            <BeamMenu on="desktop" />
          </div>
          <div className={css.pill}>
            <StatusPill />
          </div>
          <div className={css.nav}>
            <MainNav />
          </div>
        </header>
        <div className={css.notice}>
          <InsecureBar />
        </div>
        {children}
        <Toasts place="toolbar" />
      </div>
    </ErrorBoundary>
  )
}

/** A page laid out as a column instead of a canvas. */
export function Column({ children }: { children: ReactNode }) {
  return <div className={css.column}>{children}</div>
}
