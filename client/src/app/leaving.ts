/** Warns before the page is left while this device or another one would lose something by it. */
import { isAnyMoving, isAnyOnlyHere } from '../stores/losses'
import { isAnySaved } from '../stores/saves'
import type { Stores } from '../stores/stores'

type Watched = Pick<Stores, 'items' | 'transfers' | 'connection' | 'saves'>

/** Starts to warn. Call it once. The browser has its own words, and shows them only to a person who used the page. */
export function warnBeforeLeaving(stores: Watched): void {
  addEventListener('beforeunload', (event) => {
    if (wouldLose(stores)) event.preventDefault()
  })
}

/** Whether bytes are moving or being saved, or only this page has a file that is offered to the beam. */
export function wouldLose(stores: Watched): boolean {
  const now = {
    items: stores.items.getState(),
    transfers: stores.transfers.getState(),
    connection: stores.connection.getState(),
  }
  return isAnySaved(stores.saves.getState()) || isAnyMoving(now.transfers) || isAnyOnlyHere(now)
}
