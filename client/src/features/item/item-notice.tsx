import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { type Item, isUnsent } from '../../protocol/item'
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
import { NotSealed } from './not-sealed'

/** A warning on an item: the server refused it or does not have it yet, or only one device has its file. */
export function ItemNotice({ item }: { item: Item }) {
  const [text] = useNotices([item])
  return (
    <>
      <NotSealed items={[item]} />
      {item.to !== undefined && <Audience item={item} />}
      {text && <p className={css.notice}>{text}</p>}
    </>
  )
}

/** The warnings on the files of a batch: one sentence for all, with their count where only some have it. */
export function BatchNotice({ batch }: { batch: Batch }) {
  const { files } = batch.content
  const texts = useNotices(files).filter((text) => text !== null)
  const [first] = texts
  const same = texts.filter((text) => text === first).length
  return (
    <>
      <NotSealed items={files} />
      {batch.to !== undefined && <Audience item={batch} />}
      {first !== undefined && (
        <p className={css.notice}>{same === files.length ? first : ofSome(same, files.length, first)}</p>
      )}
    </>
  )
}

/**
 * Returns the warning on each of some items of one device; null where there is none. A card is not rendered again while
 * the files of other cards move.
 */
function useNotices(items: readonly Item[]): readonly (string | null)[] {
  const { stores } = useApp()
  const isStored = useIsStored()
  const isCutOff = useIsCutOff()
  const holder = useStore(stores.devices, (state) => holderOf(state, items[0]))
  const areElsewhere = useStore(
    stores.transfers,
    useShallow(({ transfers }) => items.map(({ id }) => isLostOrReceived(transfers[id]))),
  )
  return items.map((item, at) => {
    const { refusal: reason } = item
    if (reason) return t`Not shared: ${reason}`
    if (isCutOff && isUnsent(item)) return t`Not sent yet. It goes out once you are connected.`
    // For an item for one device the line above says so.
    if (item.to !== undefined || !livesOnOneDevice(isStored, item)) return null
    // A reload lost the file here, or this device has received a copy of its own.
    return areElsewhere[at] ? t`This beam has no copy.` : t`Only on ${holder}. This beam has no copy.`
  })
}

/** A warning on some of the files of a batch. */
function ofSome(count: number, all: number, warning: string): string {
  return t`${count} of ${all}: ${warning}`
}

function holderOf(devices: DevicesState, item: Item | undefined): string {
  const isMine = !item || item.from === null || item.from === devices.me
  return isMine ? t`this device` : deviceName(devices, item.from)
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
