import { t } from '@lingui/core/macro'
import Monitor from 'lucide-react/icons/monitor'
import Users from 'lucide-react/icons/users'
import WifiOff from 'lucide-react/icons/wifi-off'
import { Suspense, useCallback, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Connection } from '../../stores/connection'
import { Button } from '../../ui/button'
import { useDismiss } from '../../ui/dismiss'
import type { Glyph } from '../../ui/icon'
import { lazyPart } from '../../ui/lazy-part'
import { Pill } from '../../ui/pill'
import { useApp } from '../actions'
import { useDeviceCount, useHasItems } from '../session/beam'
import { useKeptUntil } from '../session/keeping'
import { useOnline } from '../session/online'
import css from './status-pill.module.css'

const DevicePopover = lazyPart(
  () => import('./device-list'),
  (m) => m.DevicePopover,
)
const DeviceSheet = lazyPart(
  () => import('./device-list'),
  (m) => m.DeviceSheet,
)

/** Shows the number of devices, or the state of the connection. Opens the device list. */
export function StatusPill({ phone = false }: { phone?: boolean }) {
  const connection = useStore(useApp().stores.connection, (state) => state)
  const online = useOnline()
  const count = useDeviceCount()
  const hasItems = useHasItems()
  const keptUntil = useKeptUntil()
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  const anchor = useRef<HTMLDivElement>(null)
  useDismiss(anchor, open && !phone, close)
  // Without items the page itself shows that the beam has ended.
  if (connection.status === 'stopped' && connection.why !== 'unreachable' && !hasItems) return null
  if (connection.status === 'stopped') return <StoppedBar why={connection.why} />
  const look =
    online || connection.status === 'idle' ? pillLook(connection, count, keptText(keptUntil, phone)) : OFFLINE
  if (!look) return null
  return (
    <div ref={anchor} className={css.anchor}>
      <Pill
        tone={look.tone}
        icon={look.icon}
        small={phone}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {look.text}
      </Pill>
      <Suspense>
        {open && phone && <DeviceSheet onClose={close} />}
        {open && !phone && <DevicePopover />}
      </Suspense>
    </div>
  )
}

interface PillLook {
  tone: 'plain' | 'ok' | 'warn'
  icon?: Glyph
  text: string
}

const OFFLINE: PillLook = { tone: 'warn', icon: WifiOff, text: 'Offline' }

function pillLook(connection: Connection, count: number, kept: string): PillLook | null {
  switch (connection.status) {
    case 'idle':
    case 'stopped':
      return null
    case 'reconnecting':
      return { tone: 'warn', text: t`Reconnecting… ${connection.attempt} of ${connection.of}` }
    case 'connecting':
      return { tone: 'plain', text: t`Connecting…` }
    case 'live':
      return count > 1
        ? { tone: 'ok', icon: Users, text: `${count} devices${kept}` }
        : { tone: 'plain', icon: Monitor, text: `1 device${kept}` }
  }
}

/** What the pill says of a kept beam. A phone has room for the fact alone; the device list has the time. */
function keptText(until: string | null, phone: boolean): string {
  if (until === null) return ''
  return phone ? ' · kept' : t` · Kept until ${until}`
}

const REASONS = {
  'logged-out': 'Your login has ended',
  unreachable: 'Not connected',
  forbidden: 'You cannot join this beam',
  ended: 'This beam has ended',
} as const

function StoppedBar({ why }: { why: keyof typeof REASONS }) {
  const { actions } = useApp()
  return (
    <div className={css.stopped} role="status">
      <span>{REASONS[why]}</span>
      {why === 'unreachable' ? (
        <Button size="sm" onClick={() => actions.reconnect()}>
          {t`Retry`}
        </Button>
      ) : (
        <Button size="sm" onClick={() => void actions.newBeam()}>
          {t`New Beam`}
        </Button>
      )}
    </div>
  )
}
