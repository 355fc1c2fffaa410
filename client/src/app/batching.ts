/** Makes batches of the files that are shared together (F14), and refuses more than the beam holds. */
import { plural, t } from '@lingui/core/macro'
import { type ItemId, MAX_BATCH_FILES } from '../protocol/bindings'
import type { BatchPart } from '../protocol/item'
import { isStored } from '../stores/keeping'
import type { Context } from './context'

/** Returns the place of each of `files` files in its batch: in one batch, or in further ones of more than a card lists. */
export function batchParts(files: number, newId: () => ItemId): readonly (BatchPart | undefined)[] {
  if (files < 2) return Array.from({ length: files }, () => undefined)
  // Of about equal size, so that no batch is left with a single file.
  const most = Math.ceil(files / Math.ceil(files / MAX_BATCH_FILES))
  const counts: number[] = []
  for (let left = files; left > 0; left -= most) counts.push(Math.min(most, left))
  return counts.flatMap((count) => {
    const id = newId()
    return Array.from({ length: count }, (_, index) => ({ id, count, index }))
  })
}

/** Refuses files that would push earlier items out of the beam (S17), or that a saved or kept beam would refuse (S22, S30). */
export function hasRoom({ stores, toaster }: Pick<Context, 'stores' | 'toaster'>, count: number): boolean {
  const { live_items, stored_items } = stores.limits.getState()
  const most = isStored(stores.access.getState(), stores.keeping.getState()) ? stored_items : live_items
  const room = Math.max(0, most - stores.items.getState().items.length)
  // A single file is shared like a text, which always goes out.
  if (count <= room || count < 2) return true
  const full =
    room === 0
      ? t`A beam holds ${plural(most, { other: '# items' })}, and none more can be added here.`
      : t`A beam holds ${plural(most, { other: '# items' })}, and only ${room} more can be added here.`
  const remedy = t`Choose fewer files, or put them into one archive.`
  toaster.bad(`${full} ${remedy}`)
  return false
}
