/**
 * Remembers in the tab's storage which devices have received each file that was shared from here, so that a reload, which
 * takes the file from this page, does not make it look as if nobody had it.
 */
import * as v from 'valibot'
import type { ItemId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { tabStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import { type SentTo, sentTo } from '../stores/transfers'
import { watchGone } from './transfer-news'

const keyOf = (id: ItemId) => `sent ${id}`

const storedSchema = v.record(
  v.string(),
  v.object({
    status: v.literal('done'),
    way: v.object({ direct: v.number(), turn: v.number(), server: v.boolean() }),
  }),
)

/** Starts to remember them, until their item is gone or their beam is left. Call it once. */
export function keepSentFiles(stores: Pick<Stores, 'transfers'>): void {
  stores.transfers.subscribe((now, before) => {
    for (const id of Object.keys(now.transfers) as ItemId[]) {
      const [devices, known] = [sentTo(now.transfers[id]), sentTo(before.transfers[id])]
      const count = Object.keys(devices).length
      if (count === Object.keys(known).length) continue
      if (count > 0) tabStorage.setItem(keyOf(id), JSON.stringify(devices))
      else tabStorage.removeItem(keyOf(id))
    }
  })
  watchGone(stores, (id) => tabStorage.removeItem(keyOf(id)))
}

/** Returns the devices that have received a file which an earlier page of this tab has shared. */
export function sentBefore(id: ItemId): SentTo {
  const parsed = v.safeParse(storedSchema, parseJson(tabStorage.getItem(keyOf(id)) ?? ''))
  return parsed.success ? (parsed.output as SentTo) : {}
}
