/** Deletes items, and shares them again on Undo. */
import type { Actions, Restore } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { mayDelete } from '../stores/beam-access'
import { reduceCanvas } from '../stores/canvas'
import { reduceItems } from '../stores/items'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { forget, offer, share } from './sharing'
import { endTransfersOf } from './transfer-news'

export function createDeleting(context: Context): Pick<Actions, 'deleteItem' | 'deleteItems'> {
  const { stores, toaster } = context
  const deleteItems = (ids: readonly ItemId[]): Restore | null => {
    const wanted = new Set(ids)
    const items = stores.items.getState().items.filter(({ id }) => wanted.has(id))
    const allowed = items.filter((item) => mayDelete(stores.access.getState(), item))
    if (allowed.length < items.length) toaster.bad('Cannot delete beam note from UI (Update Soon)')
    const deleted = allowed.filter((item) => !callOff(context, item))
    const ways = deleted.flatMap((item) => deleteItem(context, item) ?? [])
    if (deleted.length === 0) return null
    const restore = ways.length > 0 ? once(context, ways) : null
    const text = deleted.length === 1 ? 'Deleted' : `Deleted ${deleted.length} notes`
    toaster.info(text, restore ? { label: 'Undo', run: () => void restore() } : undefined)
    return restore
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

/** How to restore one item: its old id, and a function that shares it again under a new one. */
interface WayBack {
  readonly old: ItemId
  readonly share: (id: ItemId) => void
}

/**
 * Deletes an item. Its transfer stays until the server has confirmed the deletion, because a refused one leaves the item
 * where it is. Returns null for another device's file, which cannot be shared again from here.
 */
function deleteItem(context: Context, item: Item): WayBack | null {
  const { stores, transfers, live } = context
  const { id, message, extra, content } = item
  const file = transfers.offered(id)
  stores.items.setState((state) => reduceItems(state, { type: 'deleted', message, id }), true)
  live()?.delete(id, message)
  // Of an item that it never took, the server confirms no deletion.
  if (item.seq === null && item.refusal !== undefined) endTransfersOf([id], stores)
  const isHere = content.kind !== 'file' || content.url !== null || file !== null
  if (!isHere) return null
  return {
    old: id,
    share(to) {
      if (file) offer(context, to, file)
      // Renamed before the item is shared, so that it appears at its old place.
      stores.canvas.setState((state) => reduceCanvas(state, { type: 'renamed', from: id, to }), true)
      share(context, to, message, extra)
    },
  }
}

/** Restores the items once, whether the toast or the keyboard asks first, and only into the beam that they were in. */
function once({ live }: Context, ways: readonly WayBack[]): Restore {
  const beam = live()
  let isDone = false
  return () => {
    const ids = new Map<ItemId, ItemId>()
    if (isDone || live() !== beam) return ids
    isDone = true
    for (const { old, share: shareAgain } of ways) {
      // Under a new id: the old one may still be deleted late by a device that was away.
      const id = newItemId()
      ids.set(old, id)
      shareAgain(id)
    }
    return ids
  }
}
