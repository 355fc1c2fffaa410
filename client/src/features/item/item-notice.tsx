import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { livesOnOneDevice } from '../../stores/beam-access'
import { whyGone } from '../../stores/connection'
import { deviceName } from '../../stores/devices'
import type { Transfer } from '../../stores/transfers'
import { useApp } from '../actions'
import { useOnline } from '../session/online'
import css from './item-notice.module.css'

/** A warning on an item: the server refused it or does not have it yet, or only one device has its file. */
export function ItemNotice({ item }: { item: Item }) {
  const { stores } = useApp()
  const isOnlyThere = useStore(stores.access, (access) => livesOnOneDevice(access, item))
  const isWaiting = useIsCutOff() && item.seq === null
  // A reload lost the file here, or this device has received a copy of its own.
  const isElsewhere = useStore(stores.transfers, ({ transfers }) => isLostOrReceived(transfers[item.id]))
  const holder = useStore(stores.devices, (state) =>
    item.from === null || item.from === state.me ? 'this device' : deviceName(state, item.from),
  )
  const text = item.refusal
    ? `Not shared: ${item.refusal}`
    : isWaiting
      ? 'Not sent yet. It goes out once you are connected.'
      : isOnlyThere
        ? `${isElsewhere ? '' : `Only on ${holder}. `}This beam has no copy.`
        : null
  return text && <p className={css.notice}>{text}</p>
}

function isLostOrReceived(transfer: Transfer | undefined): boolean {
  return transfer?.role === 'lost' || (transfer?.role === 'receiving' && transfer.state.status === 'done')
}

/** Whether nothing goes out now, but will. */
function useIsCutOff(): boolean {
  const isOnline = useOnline()
  return useStore(
    useApp().stores.connection,
    (state) => whyGone(state) === null && (!isOnline || state.status !== 'live'),
  )
}
