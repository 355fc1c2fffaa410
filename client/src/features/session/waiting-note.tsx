import { t } from '@lingui/core/macro'
import Lock from 'lucide-react/icons/lock'
import { useStore } from 'zustand'
import type { Encryption } from '../../stores/encryption'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './offline-note.module.css'

/** Says why nothing of a sealed beam is shown yet. Disappears once this device has been let in. */
export function WaitingNote() {
  const { stores } = useApp()
  const kind = useStore(stores.encryption, (state) => state.kind)
  const alone = useStore(stores.devices, ({ devices }) => devices.length <= 1)
  const text = waitingText(kind, alone)
  if (text === null) return null
  return (
    <p className={css.note} role="status">
      <Icon of={Lock} size={16} />
      {text}
    </p>
  )
}

function waitingText(kind: Encryption['kind'], alone: boolean): string | null {
  switch (kind) {
    case 'waiting':
      return t`This beam is encrypted. It opens here as soon as another of its devices is online.`
    case 'locked':
      return alone
        ? t`This beam is encrypted. Open it with its QR code or link, or while another of its devices is online.`
        : t`This beam is encrypted. A person on another device lets this one in, in the list of devices there.`
    case 'off':
    case 'unknown':
    case 'clear':
    case 'sealed':
      return null
  }
}
