/** Waits until an item that is to be saved is here. */
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { type Download, downloadsOf } from '../stores/downloads'
import type { PackList } from '../stores/packs'
import { reduceSaves, type SavesEvent } from '../stores/saves'
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
  let hasBegun = false
  return new Promise<Arrived | null>((resolve) => {
    const look = () => {
      const [download] = downloadsOf([id], stores)
      const list = stores.packs.getState().lists[id]
      hasBegun ||= isComing(stores, id)
      const isGone = stores.items.getState().items.every((item) => item.id !== id)
      if (isGone || signal.aborted || (!download && isStopped(stores, id, hasBegun))) resolve(null)
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

function isComing(stores: Context['stores'], id: ItemId): boolean {
  const status = receivingOf(stores, id)?.status
  return status !== undefined && ['queued', 'moving', 'parked', 'paused', 'failed'].includes(status)
}

/** Whether nothing more comes. What had begun and is offered again was given up after a failure; a picked file is elsewhere. */
function isStopped(stores: Context['stores'], id: ItemId, hasBegun: boolean): boolean {
  const status = receivingOf(stores, id)?.status
  return status === 'cancelled' || status === 'done' || (status === 'offered' && hasBegun)
}

/** Whether an item is not here, and nothing comes of it until its person asks for it. */
export function isGivenUp(stores: Context['stores'], id: ItemId): boolean {
  if (downloadsOf([id], stores).length > 0) return false
  const transfer = stores.transfers.getState().transfers[id]
  if (transfer?.role === 'lost') return true
  const status = receivingOf(stores, id)?.status
  return status === 'offered' || status === 'cancelled' || status === 'failed'
}

/** Returns a file that is to be saved once it is here; null when it is deleted or given up before. */
export type Bring = (id: ItemId) => Promise<Download | null>

/** Returns what receives a file that is to be saved and is not here (E7). */
export function bringerOf(stores: Context['stores'], receive: Actions['receive']): Bring {
  const tell = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
  return async (id) => {
    if (isGivenUp(stores, id)) receive(id)
    const waits = () => tell({ type: 'saving', id, save: { status: 'waiting' } })
    const { signal } = new AbortController()
    const here = await arrived(stores, id, false, { signal, waits })
    tell({ type: 'ended', id })
    return here?.download ?? null
  }
}

function receivingOf({ transfers }: Context['stores'], id: ItemId): Receiving | undefined {
  const transfer = transfers.getState().transfers[id]
  return transfer?.role === 'receiving' ? transfer.state : undefined
}
