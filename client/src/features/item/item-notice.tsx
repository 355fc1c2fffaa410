import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { whyGone } from '../../stores/connection'
import { deviceName } from '../../stores/devices'
import { livesOnOneDevice } from '../../stores/keeping'
import { useApp } from '../actions'
import { useIsStored } from '../session/keeping'
import { useOnline } from '../session/online'
import css from './item-notice.module.css'

/** A warning on an item: the server refused it or does not have it yet, or only one device has its file. */
export function ItemNotice({ item }: { item: Item }) {
  const { stores } = useApp()
  const isOnlyThere = livesOnOneDevice(useIsStored(), item)
  const isWaiting = useIsCutOff() && item.seq === null
  const holder = useStore(stores.devices, (state) =>
    item.from === null || item.from === state.me ? 'this device' : deviceName(state, item.from),
  )
  const text = item.refusal
    ? `Not shared: ${item.refusal}`
    : isWaiting
      ? 'Not sent yet. It goes out once you are connected.'
      : isOnlyThere
        ? `Only on ${holder}. This beam has no copy.`
        : null
  return text && <p className={css.notice}>{text}</p>
}

/** Whether nothing goes out now, but will. */
function useIsCutOff(): boolean {
  const isOnline = useOnline()
  return useStore(
    useApp().stores.connection,
    (state) => whyGone(state) === null && (!isOnline || state.status !== 'live'),
  )
}
