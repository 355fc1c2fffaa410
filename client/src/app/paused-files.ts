/**
 * Remembers in the tab's storage which files the person here has paused (F18): of those that wait for their turn nothing is on
 * the disk, which could say it to the page after a reload.
 */
import type { ItemId } from '../protocol/bindings'
import { tabStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Transfer } from '../stores/transfers'
import { watchGone } from './transfer-news'

const keyOf = (id: ItemId) => `paused ${id}`

/** Starts to remember them, until they go on or end, or their item is gone. Call it once. */
export function keepPausedFiles(stores: Pick<Stores, 'transfers'>): void {
  stores.transfers.subscribe((now, before) => {
    for (const id of Object.keys(now.transfers) as ItemId[]) {
      const isPaused = isPausedHere(now.transfers[id])
      if (isPaused === isPausedHere(before.transfers[id])) continue
      if (isPaused) tabStorage.setItem(keyOf(id), '')
      else forgetPaused(id)
    }
  })
  watchGone(stores, (id, isForGood) => {
    if (isForGood) forgetPaused(id)
  })
}

/** Whether the person has paused a file that comes here, on this page or an earlier one of this tab. */
export function wasPaused(id: ItemId): boolean {
  return tabStorage.getItem(keyOf(id)) !== null
}

/** A file is given up, so that nothing of it is paused. */
export function forgetPaused(id: ItemId): void {
  tabStorage.removeItem(keyOf(id))
}

function isPausedHere(transfer: Transfer | undefined): boolean {
  return transfer?.role === 'receiving' && transfer.state.status === 'paused' && transfer.state.by === 'me'
}
