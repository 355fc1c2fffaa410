/** Which batches have come from other devices, and which of them ask for the person's attention. */

import { AUTO_RECEIVE_BYTES, type DeviceId, type ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { newcomersOf } from '../../stores/arrivals'
import { type Batch, cardsOf, isBatch } from '../../stores/cards'
import type { ItemsState } from '../../stores/items'
import type { TransfersState } from '../../stores/transfers'
import { isUnderWay } from '../transfer/batch-row'

/** Returns the batches that came live, and not with the beam. */
export function arrivedBatches(
  before: ItemsState,
  after: ItemsState,
  me: DeviceId | null,
): readonly ItemId[] {
  if (before.epoch !== after.epoch) return []
  return newcomersOf(before, after, me)
    .filter(isBatch)
    .map(({ id }) => id)
}

/** Returns the first of the batches that is worth a sheet. Others before it may never be. */
export function firstThatAsks(
  among: ReadonlySet<ItemId>,
  items: readonly Item[],
  transfers: Pick<TransfersState, 'transfers'>,
): Batch | undefined {
  return cardsOf(items)
    .filter(isBatch)
    .find((batch) => among.has(batch.id) && asksForAttention(batch, transfers))
}

/**
 * Whether a batch is worth a sheet: one of its files waits for a tap, or receiving them takes a while. Small pictures
 * that come by themselves only show up in the list.
 */
export function asksForAttention(
  { content }: Batch,
  { transfers }: Pick<TransfersState, 'transfers'>,
): boolean {
  let coming = 0
  for (const { id, content: file } of content.files) {
    const transfer = transfers[id]
    if (transfer?.role !== 'receiving') continue
    const { status } = transfer.state
    if (status === 'offered') return true
    if (isUnderWay(status)) coming += file.size
  }
  return coming > AUTO_RECEIVE_BYTES
}
