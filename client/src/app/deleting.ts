/** Deletes items, and brings them back on Undo. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { mayDelete } from '../stores/beam-access'
import { itemsOfCards } from '../stores/cards'
import { reduceItems } from '../stores/items'
import type { Context } from './context'
import { forget, share } from './sharing'
import { endTransfersOf } from './transfer-news'
import { UndoOffer, type WayBack } from './undo-offer'

/** Lets devices receive a file of a restored item from here again. */
type OfferAgain = (item: Item, file: Blob) => void

export function createDeleting(
  context: Context,
  offerAgain: OfferAgain,
): Pick<Actions, 'deleteItem' | 'deleteItems'> {
  const { stores, toaster } = context
  const undo = new UndoOffer(context)
  const deleteItems = (ids: readonly ItemId[]) => {
    const items = itemsOfCards(stores.items.getState().items, ids)
    const allowed = items.filter((item) => mayDelete(stores.access.getState(), item))
    if (allowed.length < items.length) toaster.bad(t`Cannot delete beam note from UI (Update Soon)`)
    const deleted = allowed.filter((item) => !callOff(context, item))
    if (deleted.length === 0) return null
    return undo.add(deleted.map((item) => deleteItem(context, item, offerAgain)))
  }
  return { deleteItems, deleteItem: (id) => void deleteItems([id]) }
}

/**
 * Cancels a file that is still being uploaded. No other device knows of it, so nothing is sent. Returns false
 * for any other item.
 */
function callOff(context: Context, { id }: Item): boolean {
  const transfer = context.stores.transfers.getState().transfers[id]
  if (transfer?.role !== 'storing' || transfer.state.status !== 'moving') return false
  forget(context, id)
  return true
}

/**
 * Deletes an item. Its transfer stays until the server has confirmed the deletion, because a refused one leaves the item
 * where it is. The way back shares the same item again: its id gives it its place and its colour, and the server gives
 * it back its age and the device that has its bytes (S9).
 */
function deleteItem(context: Context, item: Item, offerAgain: OfferAgain): WayBack {
  const { stores, transfers, live } = context
  const { id, message, extra, isClear } = item
  const file = transfers.offered(id)
  stores.items.setState((state) => reduceItems(state, { type: 'deleted', message, id }), true)
  live()?.delete(id, message)
  // Of an item that it never took, the server confirms no deletion.
  if (item.seq === null && item.refusal !== undefined) endTransfersOf([id], stores)
  return {
    id,
    files: item.content.kind === 'file' ? Math.max(1, item.content.manifest?.files ?? 1) : 0,
    share() {
      if (file) offerAgain(item, file)
      share(context, id, message, extra, { at: item.at, to: item.to, isClear })
    },
  }
}

/** Offers the files of this device again that another device has deleted and brought back. */
export function offerWhatCameBack({ stores, transfers }: Context, offerAgain: OfferAgain): void {
  const { me } = stores.devices.getState()
  const { transfers: known } = stores.transfers.getState()
  for (const item of stores.items.getState().items) {
    if (item.from !== me || known[item.id]) continue
    const file = transfers.deleted(item.id)
    if (file) offerAgain(item, file)
  }
}
