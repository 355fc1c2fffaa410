/** Announcements for people who do not see the page: arrivals, devices that join and leave, progress of files. */
import { plural, t } from '@lingui/core/macro'
import type { Item } from '../../protocol/item'
import { newcomersOf } from '../../stores/arrivals'
import { type Card, cardsOf, type FileItem, isBatch } from '../../stores/cards'
import { type DevicesState, deviceName } from '../../stores/devices'
import type { ItemsState } from '../../stores/items'
import type { PointedOut } from '../../stores/pointed-out'
import { statesOf, type Transfer, type TransfersState } from '../../stores/transfers'
import { countOf, kindOf, packTitleOf } from '../item/describe'

/**
 * Returns `{kind} from {device}`, never the content. Several items at once are counted. Of a batch, whose files arrive
 * one by one, only the first is announced, for all.
 */
export function arrivalNews(before: ItemsState, after: ItemsState, devices: DevicesState): string | null {
  // The items that are there when a beam is joined are not announced.
  if (before.epoch !== after.epoch) return null
  const arrived = newcomersOf(before, after, devices.me)
  const [first] = arrived
  if (!first) return null
  const items = arrived.length
  if (items > 1) return plural(items, { one: '# item', other: '# items' })
  const count = isBatch(first) ? (first.content.files[0]?.content.batch?.count ?? 0) : 1
  const device = deviceName(devices, first.from)
  if (count > 1) return plural(count, { one: `# file from ${device}`, other: `# files from ${device}` })
  const kind = kindOf(first.content)
  return t({ message: `${kind} from ${device}`, comment: 'Such as “Picture from Firefox on Linux”' })
}

/** Says that what somebody wanted to share is there already. */
export function pointedOutNews({ id }: PointedOut, items: readonly Item[]): string | null {
  const item = items.find((one) => one.id === id)
  if (!item) return null
  const kind = kindOf(item.content)
  return t({ message: `${kind} is here already`, comment: 'Such as “Picture is here already”' })
}

/** @param isSealed whether a device has joined only once another one has let it in */
export function deviceNews(before: DevicesState, after: DevicesState, isSealed: boolean): string | null {
  // The first list, and the end of a beam, do not mean that others joined or left.
  if (before.devices === after.devices || before.devices.length === 0 || after.devices.length === 0)
    return null
  const missing = (from: DevicesState, there: DevicesState) =>
    there.devices.filter((device) => !from.devices.some((other) => other.device_id === device.device_id))
  const joined = missing(before, after).map(({ device_id }) => {
    const device = deviceName(after, device_id)
    return isSealed ? t`${device} connected` : t`${device} joined`
  })
  const left = missing(after, before).map(({ device_id }) => {
    const device = deviceName(before, device_id)
    return t`${device} left`
  })
  return listed([...joined, ...left])
}

/** Says of devices that were here that they were removed (S25), which is told once they have left. */
export function removalNews(before: DevicesState, after: DevicesState): string | null {
  const removed = [...after.removed].filter((id) => !before.removed.has(id) && before.names[id] !== undefined)
  return listed(
    removed.map((id) => {
      const device = deviceName(before, id)
      return t`${device} was removed`
    }),
  )
}

const STEPS = 4

/** Announces each further quarter of a file in transfer, or of all files of a batch. */
export function progressNews(
  before: Pick<TransfersState, 'transfers'>,
  after: Pick<TransfersState, 'transfers'>,
  items: readonly Item[],
): string | null {
  const news = cardsOf(items).flatMap((card) => {
    const files = filesOf(card)
    const now = quarters(files, after)
    if (now === null || now === quarters(files, before)) return []
    const what = isBatch(card) ? countOf(card.content) : (packTitleOf(card.content) ?? files[0]?.content.name)
    const percent = now * 25
    return [t({ message: `${what} ${percent} %`, comment: 'Such as “9 files 25 %” or “a.zip 25 %”' })]
  })
  return listed(news)
}

/** Returns the news one after the other: `a, b, c`; null when there are none. */
function listed(news: readonly string[]): string | null {
  return news.join(', ') || null
}

function filesOf(card: Card): readonly FileItem[] {
  if (isBatch(card)) return card.content.files
  return card.content.kind === 'file' ? [{ ...card, content: card.content }] : []
}

/** Returns how many whole quarters of the files are transferred, of those that move or are done; null for none. */
function quarters(
  files: readonly FileItem[],
  { transfers }: Pick<TransfersState, 'transfers'>,
): number | null {
  const sum = { bytes: 0, size: 0, files: 0 }
  for (const { id, content } of files) {
    const part = partOf(transfers[id], content.size)
    if (part === null) continue
    sum.bytes += part
    sum.size += content.size
    sum.files += 1
  }
  if (sum.files === 0) return null
  return sum.size === 0 ? STEPS : Math.floor((sum.bytes / sum.size) * STEPS)
}

/** Returns the bytes of a file that every device that wants it has; null when it is not moving. */
function partOf(transfer: Transfer | undefined, size: number): number | null {
  if (!transfer) return null
  const parts = statesOf(transfer).flatMap((state) => {
    if (state.status === 'done') return [size]
    if (state.status !== 'moving') return []
    return ['sent' in state ? state.sent : state.received]
  })
  return parts.length === 0 ? null : Math.min(...parts)
}
