/** Warns before the page is left while other devices would lose something by it. */
import { whyGone } from '../stores/connection'
import type { Stores } from '../stores/stores'
import { isAnyMoving } from './screen-lock'

type Watched = Pick<Stores, 'items' | 'transfers' | 'connection'>

/** Starts to warn. Call it once. The browser has its own words, and shows them only to a person who used the page. */
export function warnBeforeLeaving(stores: Watched): void {
  addEventListener('beforeunload', (event) => {
    if (wouldLose(stores)) event.preventDefault()
  })
}

/** Whether bytes are moving, or only this page has a file that is offered to the beam. */
export function wouldLose(stores: Watched): boolean {
  return isAnyMoving(stores.transfers.getState()) || isAnyOnlyHere(stores)
}

function isAnyOnlyHere({ items, transfers, connection }: Watched): boolean {
  // Of a beam that is closed for good, nothing can be received any more.
  if (whyGone(connection.getState()) !== null) return false
  const known = transfers.getState().transfers
  return items.getState().items.some(({ id, content }) => {
    const transfer = known[id]
    if (content.kind !== 'file' || content.url !== null || transfer?.role !== 'sending') return false
    return !Object.values(transfer.to).some(({ status }) => status === 'done')
  })
}
