/** Remembers which files the person here has paused (F18), for the page after a reload. */
import type { ItemId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import type { Transfer } from '../stores/transfers'
import { pausedFiles } from './marked-files'
import { watchGone } from './transfer-news'

/** Starts to remember them, until they go on or end, or their item is gone. Call it once. */
export function keepPausedFiles(stores: Pick<Stores, 'transfers'>): void {
  stores.transfers.subscribe((now, before) => {
    for (const id of Object.keys(now.transfers) as ItemId[]) {
      const isPaused = isPausedHere(now.transfers[id])
      if (isPaused === isPausedHere(before.transfers[id])) continue
      if (isPaused) pausedFiles.note(id)
      else pausedFiles.forget(id)
    }
  })
  watchGone(stores, (id, isForGood) => {
    if (isForGood) pausedFiles.forget(id)
  })
}

function isPausedHere(transfer: Transfer | undefined): boolean {
  return transfer?.role === 'receiving' && transfer.state.status === 'paused' && transfer.state.by === 'me'
}
