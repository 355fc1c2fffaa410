/** Waits until an item that is to be saved is here. */
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import type { TransferFailure } from '../protocol/transfer-failure'
import { type Download, downloadsOf } from '../stores/downloads'
import type { PackList } from '../stores/packs'
import { reduceSaves, type SavesEvent } from '../stores/saves'
import type { Receiving } from '../stores/transfers'
import type { Context } from './context'

interface Arrived {
  readonly download: Download
  readonly list: PackList | undefined
}

/** Why a file that was to be saved did not come. */
export class NotReceived extends Error {
  constructor(readonly why: TransferFailure) {
    super('The file was not received.')
  }
}

interface Waiting {
  readonly signal: AbortSignal
  /** Called where it is not here yet. */
  waits(): void
  /** It was asked for before, and others are saved after it: a failure ends the waiting, though its person may try again. */
  readonly isInTurn?: boolean
}

/**
 * Waits until an item is here, and its list where that is needed. Resolves to null when it is deleted or given up, or the
 * signal ends the waiting.
 * @throws NotReceived when one in turn has failed
 */
export function arrived(
  stores: Context['stores'],
  id: ItemId,
  needsList: boolean,
  { signal, waits, isInTurn = false }: Waiting,
): Promise<Arrived | null> {
  const ends = new AbortController()
  let hasBegun = isInTurn
  return new Promise<Arrived | null>((resolve, reject) => {
    const look = () => {
      hasBegun ||= isComing(stores, id)
      const isGone = stores.items.getState().items.every((item) => item.id !== id)
      const state = receivingOf(stores, id)
      const found = isGone || signal.aborted ? null : foundOf(stores, id, { needsList, hasBegun })
      if (found !== undefined) resolve(found)
      else if (isInTurn && state?.status === 'failed') reject(new NotReceived(state.why))
      else return false
      return true
    }
    for (const store of [stores.items, stores.transfers, stores.packs])
      ends.signal.addEventListener('abort', store.subscribe(look))
    signal.addEventListener('abort', look, { signal: ends.signal })
    if (!look()) waits()
  }).finally(() => ends.abort())
}

/** Returns an item that is here; null for one that does not come, undefined while it may. */
function foundOf(
  stores: Context['stores'],
  id: ItemId,
  { needsList, hasBegun }: { needsList: boolean; hasBegun: boolean },
): Arrived | null | undefined {
  const [download] = downloadsOf([id], stores)
  if (!download) return isStopped(stores, id, hasBegun) ? null : undefined
  const list = stores.packs.getState().lists[id]
  return list || !needsList ? { download, list } : undefined
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

interface Bringing {
  /** Receives a file (E7), and waits for it. */
  readonly bring: Bring
  /** Waits for one of several that were asked for and are saved in turn. @throws NotReceived when it has failed */
  readonly inTurn: Bring
  /** Ends the waiting for a file, which goes on to come. */
  stop(id: ItemId): void
}

/** Returns what brings files that are to be saved and are not here. */
export function bringerOf(stores: Context['stores'], receive: Actions['receive']): Bringing {
  const tell = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
  const stops = new Map<ItemId, AbortController>()
  const waitFor = async (id: ItemId, isInTurn: boolean) => {
    const waits = () => tell({ type: 'saving', id, save: { status: 'waiting' } })
    const stop = new AbortController()
    stops.set(id, stop)
    try {
      return (await arrived(stores, id, false, { signal: stop.signal, waits, isInTurn }))?.download ?? null
    } finally {
      stops.delete(id)
      tell({ type: 'ended', id })
    }
  }
  return {
    bring(id) {
      if (isGivenUp(stores, id)) receive(id)
      return waitFor(id, false)
    },
    inTurn: (id) => waitFor(id, true),
    stop: (id) => stops.get(id)?.abort(),
  }
}

function receivingOf({ transfers }: Context['stores'], id: ItemId): Receiving | undefined {
  const transfer = transfers.getState().transfers[id]
  return transfer?.role === 'receiving' ? transfer.state : undefined
}
