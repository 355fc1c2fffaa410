/** Waits until an item that is to be saved is here. */
import type { ItemId } from '../protocol/bindings'
import { type Download, downloadsOf } from '../stores/downloads'
import type { PackList } from '../stores/packs'
import type { Receiving } from '../stores/transfers'
import type { Context } from './context'

interface Arrived {
  readonly download: Download
  readonly list: PackList | undefined
}

/**
 * Waits until an item is here, and its list where that is needed. Resolves to null when it is deleted or given up, or the
 * signal ends the waiting. `waits` is called where it is not here yet.
 */
export function arrived(
  stores: Context['stores'],
  id: ItemId,
  needsList: boolean,
  { signal, waits }: { signal: AbortSignal; waits: () => void },
): Promise<Arrived | null> {
  const ends = new AbortController()
  return new Promise<Arrived | null>((resolve) => {
    const look = () => {
      const [download] = downloadsOf([id], stores)
      const list = stores.packs.getState().lists[id]
      const isGone = stores.items.getState().items.every((item) => item.id !== id)
      const isStopped = receivingOf(stores, id)?.status === 'cancelled'
      if (isGone || signal.aborted || (!download && isStopped)) resolve(null)
      else if (download && (list || !needsList)) resolve({ download, list })
      else return false
      return true
    }
    for (const store of [stores.items, stores.transfers, stores.packs])
      ends.signal.addEventListener('abort', store.subscribe(look))
    signal.addEventListener('abort', look, { signal: ends.signal })
    if (!look()) waits()
  }).finally(() => ends.abort())
}

/** Whether an item is not here, and nothing comes of it until its person asks for it. */
export function isGivenUp(stores: Context['stores'], id: ItemId): boolean {
  if (downloadsOf([id], stores).length > 0) return false
  const status = receivingOf(stores, id)?.status
  return status === 'offered' || status === 'cancelled' || status === 'failed'
}

function receivingOf({ transfers }: Context['stores'], id: ItemId): Receiving | undefined {
  const transfer = transfers.getState().transfers[id]
  return transfer?.role === 'receiving' ? transfer.state : undefined
}
