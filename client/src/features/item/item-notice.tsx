import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import type { Batch } from '../../stores/cards'
import { whyGone } from '../../stores/connection'
import { type DevicesState, deviceName } from '../../stores/devices'
import { livesOnOneDevice } from '../../stores/keeping'
import type { Transfer } from '../../stores/transfers'
import { useApp } from '../actions'
import { useIsStored } from '../session/keeping'
import { useOnline } from '../session/online'
import { Audience } from './audience'
import css from './item-notice.module.css'

/** A warning on an item: the server refused it or does not have it yet, or only one device has its file. */
export function ItemNotice({ item }: { item: Item }) {
  const text = useNotice()(item)
  return (
    <>
      {item.to !== undefined && <Audience item={item} />}
      {text && <p className={css.notice}>{text}</p>}
    </>
  )
}

/** The warnings on the files of a batch: one sentence for all, with their count where only some have it. */
export function BatchNotice({ batch }: { batch: Batch }) {
  const { files } = batch.content
  const notice = useNotice()
  const texts = files.map(notice).filter((text) => text !== null)
  const [first] = texts
  const same = texts.filter((text) => text === first).length
  return (
    <>
      {batch.to !== undefined && <Audience item={batch} />}
      {first !== undefined && (
        <p className={css.notice}>{same === files.length ? first : `${same} of ${files.length}: ${first}`}</p>
      )}
    </>
  )
}

/** Returns a function that says what the warning on an item is; null where there is none. */
function useNotice(): (item: Item) => string | null {
  const { stores } = useApp()
  const isStored = useIsStored()
  const devices = useStore(stores.devices)
  const { transfers } = useStore(stores.transfers)
  const isCutOff = useIsCutOff()
  return (item) => {
    if (item.refusal) return `Not shared: ${item.refusal}`
    if (isCutOff && item.seq === null) return 'Not sent yet. It goes out once you are connected.'
    // For an item for one device the line above says so.
    if (item.to !== undefined || !livesOnOneDevice(isStored, item)) return null
    return noCopyText(item, devices, transfers[item.id])
  }
}

function noCopyText(item: Item, devices: DevicesState, transfer: Transfer | undefined): string {
  // A reload lost the file here, or this device has received a copy of its own.
  if (isLostOrReceived(transfer)) return 'This beam has no copy.'
  const isMine = item.from === null || item.from === devices.me
  return `Only on ${isMine ? 'this device' : deviceName(devices, item.from)}. This beam has no copy.`
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
