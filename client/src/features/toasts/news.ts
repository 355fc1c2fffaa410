/** Announcements for people who do not see the page: arrivals, devices that join and leave, progress of files. */
import type { Item } from '../../protocol/item'
import { type DevicesState, deviceName } from '../../stores/devices'
import type { ItemsState } from '../../stores/items'
import type { PointedOut } from '../../stores/pointed-out'
import { statesOf, type Transfer, type TransfersState } from '../../stores/transfers'
import { kindOf } from '../item/describe'

/** Returns `{kind} from {device}`, never the content. Several items at once are counted. */
export function arrivalNews(before: ItemsState, after: ItemsState, devices: DevicesState): string | null {
  // The items that are there when a beam is joined are not announced.
  if (before.epoch === null || before.epoch !== after.epoch || before.items === after.items) return null
  const known = new Set(before.items.map((item) => item.id))
  const arrived = after.items.filter((item) => !known.has(item.id) && isForeign(item, devices))
  const [first] = arrived
  if (!first) return null
  return arrived.length > 1
    ? `${arrived.length} items`
    : `${kindOf(first.content)} from ${deviceName(devices, first.from)}`
}

/** Says that what somebody wanted to share is there already. */
export function pointedOutNews({ id }: PointedOut, items: readonly Item[]): string | null {
  const item = items.find((one) => one.id === id)
  return item ? `${kindOf(item.content)} is here already` : null
}

function isForeign(item: Item, devices: DevicesState): boolean {
  return item.from !== null && item.from !== devices.me
}

export function deviceNews(before: DevicesState, after: DevicesState): string | null {
  // The first list, and the end of a beam, do not mean that others joined or left.
  if (before.devices === after.devices || before.devices.length === 0 || after.devices.length === 0)
    return null
  const missing = (from: DevicesState, there: DevicesState) =>
    there.devices.filter((device) => !from.devices.some((other) => other.device_id === device.device_id))
  const joined = missing(before, after).map(({ device_id }) => `${deviceName(after, device_id)} joined`)
  const left = missing(after, before).map(({ device_id }) => `${deviceName(before, device_id)} left`)
  return [...joined, ...left].join(', ') || null
}

const STEPS = 4

/** Announces each further quarter of a file in transfer. */
export function progressNews(
  before: Pick<TransfersState, 'transfers'>,
  after: Pick<TransfersState, 'transfers'>,
  items: readonly Item[],
): string | null {
  const news = items.flatMap((item) => {
    const { content } = item
    if (content.kind !== 'file') return []
    const now = quarters(after.transfers[item.id], content.size)
    const old = quarters(before.transfers[item.id], content.size)
    return now !== null && now !== old ? [`${content.name} ${now * 25} %`] : []
  })
  return news.join(', ') || null
}

/** Returns how many whole quarters of the file are transferred; null when it is not moving. */
function quarters(transfer: Transfer | undefined, size: number): number | null {
  if (!transfer) return null
  const parts = statesOf(transfer).map((state) => {
    if (state.status === 'done') return STEPS
    if (state.status !== 'moving') return null
    const bytes = 'sent' in state ? state.sent : state.received
    return size === 0 ? STEPS : Math.floor((bytes / size) * STEPS)
  })
  const known = parts.filter((part) => part !== null)
  return known.length === 0 ? null : Math.min(...known)
}
