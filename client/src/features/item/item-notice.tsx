import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { livesOnOneDevice } from '../../stores/beam-access'
import { deviceName } from '../../stores/devices'
import { useApp } from '../actions'
import css from './item-notice.module.css'

/** A warning on an item: the server refused it, or only one device has its file. */
export function ItemNotice({ item }: { item: Item }) {
  const { stores } = useApp()
  const isOnlyThere = useStore(stores.access, (access) => livesOnOneDevice(access, item))
  const holder = useStore(stores.devices, (state) =>
    item.from === null || item.from === state.me ? 'this device' : deviceName(state, item.from),
  )
  const text = item.refusal
    ? `Not shared: ${item.refusal}`
    : isOnlyThere
      ? `Only on ${holder}. This beam has no copy.`
      : null
  return text && <p className={css.notice}>{text}</p>
}
