import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
import CircleAlert from 'lucide-react/icons/circle-alert'
import Lock from 'lucide-react/icons/lock'
import LockOpen from 'lucide-react/icons/lock-open'
import Monitor from 'lucide-react/icons/monitor'
import ShieldAlert from 'lucide-react/icons/shield-alert'
import Users from 'lucide-react/icons/users'
import WifiOff from 'lucide-react/icons/wifi-off'
import { Suspense, useCallback, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import type { Connection, Gone } from '../../stores/connection'
import type { Security } from '../../stores/security'
import { Button } from '../../ui/button'
import { useDismiss } from '../../ui/dismiss'
import type { Glyph } from '../../ui/icon'
import { lazyPart } from '../../ui/lazy-part'
import { Pill } from '../../ui/pill'
import { useApp } from '../actions'
import { useDeviceCount, useHasItems, useIsRemoved } from '../session/beam'
import { useKeptUntil } from '../session/keeping'
import { useOnline } from '../session/online'
import { missingWords, useMissing } from './missing-notice'
import css from './status-pill.module.css'
import { useSecurity } from './use-security'

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
  const { connection: connections, deviceList } = useApp().stores
  const connection = useStore(connections, (state) => state)
  const online = useOnline()
  const count = useDeviceCount()
  const hasItems = useHasItems()
  const keptUntil = useKeptUntil()
  const security = useSecurity()
  const missing = useMissing()
  const open = useStore(deviceList, ({ kind }) => kind === 'open')
  const close = useCallback(() => deviceList.setState({ kind: 'closed' }, true), [deviceList])
  // A page that is opened later begins without the list.
  useEffect(() => close, [close])
  const anchor = useRef<HTMLDivElement>(null)
  useDismiss(anchor, open && !phone, close)
  // The page itself shows that the beam has ended, except where it is a canvas with items.
  if (connection.status === 'stopped' && connection.why !== 'unreachable' && (phone || !hasItems)) return null
  if (connection.status === 'stopped') return <StoppedBar why={connection.why} />
  const look =
    online || connection.status === 'idle'
      ? (missingLook(connection, missing, security) ??
        pillLook(connection, count, keptText(keptUntil, phone), security, phone))
      : offlineLook()
  if (!look) return null
  return (
    <div ref={anchor} className={css.anchor}>
      <Pill
        tone={look.tone}
        icon={look.icon}
        small={phone}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => (open ? close() : deviceList.setState({ kind: 'open', at: null }, true))}
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
  tone: 'plain' | 'ok' | 'warn' | 'bad'
  icon?: Glyph
  text: string
}

function offlineLook(): PillLook {
  return { tone: 'warn', icon: WifiOff, text: t`Offline` }
}

/** Returns null where nothing is missing, as far as is known, or worse is to be said: what is missing is as the server wants it. */
function missingLook({ status }: Connection, count: number, { is }: Security): PillLook | null {
  const isWell = is === 'sealed' || is === 'unsaid'
  if (status !== 'live' || count === 0 || !isWell) return null
  return { tone: 'warn', icon: CircleAlert, text: missingWords(count) }
}

function pillLook(
  connection: Connection,
  count: number,
  kept: string | null,
  security: Security,
  phone: boolean,
): PillLook | null {
  switch (connection.status) {
    case 'idle':
    case 'stopped':
      return null
    case 'reconnecting': {
      const { attempt, of: attempts } = connection
      return { tone: 'warn', text: t`Reconnecting… ${attempt} of ${attempts}` }
    }
    case 'connecting':
      return { tone: 'plain', text: t`Connecting…` }
    case 'live': {
      const counted = (here: number) => {
        const devices = plural(here, { one: '# device', other: '# devices' })
        return kept === null ? devices : `${devices} · ${kept}`
      }
      const text = counted(Math.max(1, count))
      const secured = securityLook(security, counted, phone ? null : text)
      if (secured) return secured
      return count > 1 ? { tone: 'ok', icon: Users, text } : { tone: 'plain', icon: Monitor, text }
    }
  }
}

/**
 * Returns null where nothing may be said of it.
 * @param all how many devices are here, where there is room for that beside a warning
 */
function securityLook(
  security: Security,
  counted: (devices: number) => string,
  all: string | null,
): PillLook | null {
  switch (security.is) {
    case 'unsaid':
      return null
    case 'sealed': {
      const devices = counted(security.devices)
      return { tone: 'ok', icon: Lock, text: t`Encrypted · ${devices}` }
    }
    case 'unverified':
      return { tone: 'warn', icon: ShieldAlert, text: withCount(t`Not verified`, all) }
    case 'waiting':
      return security.isLinkOld
        ? { tone: 'warn', icon: CircleAlert, text: t`Link not valid any more` }
        : { tone: 'warn', text: t`Waiting to be let in` }
    case 'clear':
      return { tone: 'bad', icon: LockOpen, text: withCount(t`Not encrypted`, all) }
  }
}

function withCount(warning: string, devices: string | null): string {
  return devices === null ? warning : `${warning} · ${devices}`
}

/** What the pill says of a kept beam. A phone has room for the fact alone; the device list has the time. */
function keptText(until: string | null, phone: boolean): string | null {
  if (until === null) return null
  return phone ? t`kept` : t`Kept until ${until}`
}

type StopReason = Gone | 'unreachable'

const REASONS: Readonly<Record<StopReason, MessageDescriptor>> = {
  'logged-out': msg`Your login has ended`,
  unreachable: msg`Not connected`,
  forbidden: msg`You cannot join this beam`,
  ended: msg`This beam has ended`,
}

const REMOVED = msg`This device was removed from this beam`

function StoppedBar({ why }: { why: StopReason }) {
  const { actions } = useApp()
  const isRemoved = useIsRemoved()
  return (
    <div className={css.stopped} role="status">
      <span>{i18n._(isRemoved ? REMOVED : REASONS[why])}</span>
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
