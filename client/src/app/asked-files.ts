/** Remembers which files the person has asked for until they are here, so that a reload does not make them ask again. */
import type { ItemId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import type { Transfer } from '../stores/transfers'
import { askedFiles } from './marked-files'
import { watchGone } from './transfer-news'

/** Forgets them once they are here, are given up, or their item is gone. One that failed may still go on. Call it once. */
export function keepAskedFiles(stores: Pick<Stores, 'transfers'>): void {
  stores.transfers.subscribe((now, before) => {
    for (const id of Object.keys(now.transfers) as ItemId[])
      if (now.transfers[id] !== before.transfers[id] && isOver(now.transfers[id])) askedFiles.forget(id)
  })
  watchGone(stores, (id, isForGood) => {
    if (isForGood) askedFiles.forget(id)
  })
}

/** Whether it is waited for no more. */
function isOver(transfer: Transfer | undefined): boolean {
  return transfer?.role === 'receiving' && ['done', 'cancelled', 'offered'].includes(transfer.state.status)
}
