/** Takes the engine's reports of the files that come here into the stores. */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { TransferWay } from '../protocol/way'
import type { Stores } from '../stores/stores'
import { type PutEvent, putTransfers, type Receiving } from '../stores/transfers'
import type { Carrying, Progress } from '../transport/engine-messages'
import { createBlobUrl } from './blob-urls'
import { flowEvent, putFlows } from './flow-news'
import { gathering } from './gathering'
import { typedByBytes } from './media-kinds'

/** A report of a file that comes here. `isTyped`: its type was learned from its bytes. */
interface Received {
  readonly id: ItemId
  readonly progress: Progress
  readonly isTyped?: boolean
}

type Done = Extract<Progress, { status: 'done' }>

/**
 * Returns a function that takes the reports. When a beam is opened, one comes for each of its files, and whatever watches the
 * transfers looks through all of them after each change: so those that wait are taken as one change.
 */
export function receivingNews(
  stores: Stores,
  wayTo: (device: DeviceId | null | undefined, via: Carrying) => TransferWay,
): (report: Received) => void {
  const take = (reports: readonly Received[]) => {
    const { transfers } = stores.transfers.getState()
    const items = new Map(stores.items.getState().items.map((item) => [item.id, item]))
    // Others are late reports of items that are gone.
    const listed = reports.filter(({ id }) => transfers[id])
    putFlows(
      stores,
      listed.map(({ id, progress, isTyped }) => {
        const item = items.get(id)
        return item?.from && !isTyped ? flowEvent(item, item.from, progress, wayTo) : null
      }),
    )
    const last = new Map<ItemId, Progress>()
    for (const { id, progress, isTyped } of listed)
      if (progress.status === 'done' && progress.file && !isTyped)
        learnType(id, progress, progress.file, items.get(id))
      else last.set(id, progress)
    if (last.size === 0) return
    const events = [...last].map(([id, progress]): PutEvent => {
      const wayOf = (via: Carrying) => wayTo(items.get(id)?.from, via)
      return { type: 'receiving', id, state: receivingState(progress, wayOf) }
    })
    stores.transfers.setState((state) => putTransfers(state, events), true)
  }
  const receiving = gathering(take)

  const learnType = (id: ItemId, done: Done, file: Blob, item: Item | undefined) => {
    const category = item?.content.kind === 'file' ? item.content.category : 'file'
    const unread = { status: 'failed', bytes: 0, why: { reason: 'notRead' } } as const
    void typedByBytes(file, category).then(
      (typed) => receiving({ id, progress: { ...done, file: typed }, isTyped: true }),
      () => receiving({ id, progress: unread, isTyped: true }),
    )
  }
  return receiving
}

function receivingState(progress: Progress, way: (via: Carrying) => TransferWay): Receiving {
  switch (progress.status) {
    case 'offered':
      return progress
    case 'queued':
      return { status: 'queued', received: progress.bytes }
    case 'parked':
      return { status: 'parked', received: progress.bytes, needsDirect: progress.needsDirect ?? false }
    case 'paused':
      return { status: 'paused', received: progress.bytes, by: progress.by }
    case 'moving':
      return {
        status: 'moving',
        received: progress.bytes,
        bytesPerSecond: progress.bytesPerSecond,
        way: way(progress.via),
      }
    case 'failed':
      return { status: 'failed', received: progress.bytes, why: progress.why }
    case 'cancelled':
      return progress
    case 'done':
      return {
        status: 'done',
        url: progress.file && createBlobUrl(progress.file),
        way: progress.via && way(progress.via),
        isKept: progress.isKept ?? false,
      }
  }
}
