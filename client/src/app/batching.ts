/** Decides how files that are shared together travel: as a batch of items (F14), or packed into one item (F16). */
import { type ItemId, MAX_BATCH_FILES } from '../protocol/bindings'
import type { BatchPart } from '../protocol/item'
import { isStored } from '../stores/keeping'
import type { Context } from './context'

/** Returns each file with its place in the batch. A single file has none. */
export function batchOf(
  files: readonly File[],
  newId: () => ItemId,
): readonly { file: File; batch: BatchPart | undefined }[] {
  const count = files.length
  const id = newId()
  return files.map((file, index) => ({ file, batch: count < 2 ? undefined : { id, count, index } }))
}

/**
 * Whether so many files are shared as items of their own. Each can then be received, shown and deleted by itself, at the
 * cost of a message, a round trip and a place in the beam for each. More than a batch holds are too many to choose from
 * one by one; and where the beam has no places for them, they would push earlier items out (S17) or be refused (S22, S30).
 */
export function isBatch({ stores }: Pick<Context, 'stores'>, count: number): boolean {
  const { live_items, stored_items } = stores.limits.getState()
  const most = isStored(stores.access.getState(), stores.keeping.getState()) ? stored_items : live_items
  const room = most - stores.items.getState().items.length
  // A single file is shared like a text, which always goes out.
  return count < 2 || (count <= MAX_BATCH_FILES && count <= room)
}
