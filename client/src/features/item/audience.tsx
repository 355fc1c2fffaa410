import { t } from '@lingui/core/macro'
import Lock from 'lucide-react/icons/lock'
import { useStore } from 'zustand'
import type { DeviceId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { type DevicesState, deviceName, isHere } from '../../stores/devices'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './item-notice.module.css'

/** Says for whom an item or a batch is that only one other device has (S33), and what becomes of it. */
export function Audience({ item: { to, from } }: { item: Pick<Item, 'to' | 'from'> }) {
  const { stores } = useApp()
  const whom = useStore(stores.devices, (state) => (to === undefined ? null : audienceOf(state, to, from)))
  const isSaved = useStore(stores.access, ({ kind }) => kind === 'saved')
  if (whom === null) return null
  return (
    <p className={css.audience}>
      <Icon of={Lock} size={12} />
      <span>{isSaved ? `${whom} ${t`Not stored in this beam.`}` : whom}</span>
    </p>
  )
}

function audienceOf(state: DevicesState, to: DeviceId, from: DeviceId | null): string {
  if (to === state.me && from !== state.me) return t`Only for you.`
  const name = deviceName(state, to)
  if (state.removed.has(to)) return t`Only for ${name}, which was removed from this beam.`
  return isHere(state, to) ? t`Only for ${name}.` : t`Only for ${name}, which is not here now.`
}
