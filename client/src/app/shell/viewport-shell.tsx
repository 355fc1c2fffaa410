import type { ReactNode } from 'react'
import { useViewportClass } from '../viewport'
import { DesktopShell } from './desktop-shell'
import { Loading } from './loading'
import { PhoneShell } from './phone-shell'

/** The frame of a page that is the same on phones and wide screens. */
export function ViewportShell({ children }: { children: ReactNode }) {
  const viewport = useViewportClass()
  if (viewport === 'undetermined') return <Loading />
  return viewport === 'mobile' ? (
    <PhoneShell toasts="page">{children}</PhoneShell>
  ) : (
    <DesktopShell>{children}</DesktopShell>
  )
}
