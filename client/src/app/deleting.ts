/** Deleting items, and sharing them again when that is undone. */
import type { Actions, Restore } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { mayDelete } from '../stores/beam-access'
import { reduceCanvas } from '../stores/canvas'
import { reduceItems } from '../stores/items'
import { reduceTransfers } from '../stores/transfers'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { forget, offer, share } from './sharing'

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
    const restore = ways.length > 0 ? once(ways) : null
    const text = deleted.length === 1 ? 'Deleted' : `Deleted ${deleted.length} notes`
    toaster.info(text, restore ? { label: 'Undo', run: () => void restore() } : undefined)
    return restore
  }
  return { deleteItems, deleteItem: (id) => void deleteItems([id]) }
}

/** Nobody has heard of a file that is still on its way to the server: it goes without a word. */
function callOff(context: Context, { id }: Item): boolean {
  const transfer = context.stores.transfers.getState().transfers[id]
  if (transfer?.role !== 'storing' || transfer.state.status !== 'moving') return false
  forget(context, id)
  return true
}

/** How one item comes back: under which old id, and what shares it under a new one. */
interface WayBack {
  readonly old: ItemId
  readonly share: (id: ItemId) => void
}

/** Null for somebody else's file, which cannot be shared again from here. */
function deleteItem(context: Context, item: Item): WayBack | null {
  const { stores, transfers, live } = context
  const { id, message, extra, content } = item
  const file = transfers.offered(id)
  stores.items.setState((state) => reduceItems(state, { type: 'deleted', message, id }), true)
  stores.transfers.setState((state) => reduceTransfers(state, { type: 'forgotten', id }), true)
  live()?.delete(id, message)
  const isHere = content.kind !== 'file' || content.url !== null || file !== null
  if (!isHere) return null
  return {
    old: id,
    share(to) {
      if (file) offer(context, to, file)
      // Before it is shown, so that it comes back to its place.
      stores.canvas.setState((state) => reduceCanvas(state, { type: 'renamed', from: id, to }), true)
      share(context, to, message, extra)
    },
  }
}

/** Brings things back once, whoever asks first: the toast, or the keyboard. */
function once(ways: readonly WayBack[]): Restore {
  let isDone = false
  return () => {
    const ids = new Map<ItemId, ItemId>()
    if (isDone) return ids
    isDone = true
    for (const { old, share: shareAgain } of ways) {
      // A new id: a deleted one is not to come back on devices that are still to hear of it.
      const id = newItemId()
      ids.set(old, id)
      shareAgain(id)
    }
    return ids
  }
}
