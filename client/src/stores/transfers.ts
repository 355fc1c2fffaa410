/** The transfers of files to and from this device, by item. */
import { createStore } from 'zustand/vanilla'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Item, ItemContent } from '../protocol/item'
import type { TransferFailure } from '../protocol/transfer-failure'
import type { TransferWay, Way } from '../protocol/way'

export type Receiving =
  /** It is not known yet whether it was received before. */
  | { status: 'looking' }
  /** Waits for a tap. */
  | { status: 'offered' }
  /** Requested: other transfers go first, or no link is open yet. */
  | { status: 'queued'; received: number }
  | { status: 'moving'; received: number; bytesPerSecond: number; way: TransferWay }
  /** There is no link to the device now. It resumes by itself. */
  | { status: 'parked'; received: number; needsDirect: boolean }
  /** By the person here or at the other device. */
  | { status: 'paused'; received: number; by: 'me' | 'them' }
  | { status: 'failed'; received: number; why: TransferFailure }
  /** Either side cancelled. */
  | { status: 'cancelled'; by: 'me' | 'them' }
  /**
   * `url` is a blob URL of the file; null when it was written to a file that the person picked. `way` is null when it
   * was received before. `isKept`: it outlives the page.
   */
  | { status: 'done'; url: string | null; way: TransferWay | null; isKept: boolean }

export type Sending =
  | { status: 'moving'; sent: number; bytesPerSecond: number; way: Way }
  | { status: 'parked'; sent: number }
  | { status: 'paused'; sent: number; by: 'me' | 'them' }
  | { status: 'done'; way: Way }
  | { status: 'cancelled'; by: 'me' | 'them' }
  | { status: 'failed'; why: TransferFailure }

/** The devices that have received a file. */
export type SentTo = Readonly<Record<DeviceId, Extract<Sending, { status: 'done' }>>>

export type Storing = { status: 'moving'; sent: number; bytesPerSecond: number } | { status: 'done' }

export type Transfer =
  | { role: 'receiving'; state: Receiving }
  /** `to` has an entry for each device that asked for the file. `url` is a blob URL of the file. */
  | { role: 'sending'; to: Readonly<Record<DeviceId, Sending>>; url: string }
  /** It is uploaded to the server, because no device is here to receive it. */
  | { role: 'storing'; state: Storing; url: string }
  /**
   * It was offered from here until the page was reloaded. The person can choose it again, or, if `asks`, let the page
   * read it where it lies. `to` has the devices that have received it before.
   */
  | { role: 'lost'; asks: boolean; to: SentTo }

export interface TransfersState {
  readonly transfers: Readonly<Record<ItemId, Transfer>>
  /** Deleted items whose received bytes stay while Undo is offered. */
  readonly held: ReadonlySet<ItemId>
  /** Those of which only a part was received, which waits on the disk. Nothing of them comes any more. */
  readonly parts: ReadonlySet<ItemId>
  /** How many beams were left since the page began. */
  readonly beams: number
}

export type TransfersEvent =
  | { type: 'offering'; id: ItemId; url: string }
  | { type: 'receiving'; id: ItemId; state: Receiving }
  | { type: 'sending'; id: ItemId; to: DeviceId; state: Sending }
  | { type: 'storing'; id: ItemId; state: Storing; url: string }
  | { type: 'lost'; id: ItemId; asks: boolean; to?: SentTo }
  /** A device wants a file that a reload has taken from here. */
  | { type: 'missed'; id: ItemId; by: DeviceId }
  | { type: 'forgotten'; id: ItemId }
  | { type: 'held'; ids: readonly ItemId[] }
  | { type: 'letGo'; ids: readonly ItemId[] }
  | { type: 'left' }

const EMPTY: TransfersState = { transfers: {}, held: new Set(), parts: new Set(), beams: 0 }

/** An event that puts the transfer of an item into the list, or changes it there. */
export type PutEvent = Extract<
  TransfersEvent,
  { type: 'offering' | 'receiving' | 'sending' | 'storing' | 'lost' | 'missed' }
>

/** Applies an event to the transfers. */
export function reduceTransfers(state: TransfersState, event: TransfersEvent): TransfersState {
  switch (event.type) {
    case 'forgotten':
      return forgotten(state, event.id)
    case 'held': {
      const received = event.ids.filter((id) => hasBytes(state.transfers[id]))
      return { ...state, held: new Set([...state.held, ...received]) }
    }
    case 'letGo': {
      const gone = new Set(event.ids)
      return { ...state, held: new Set([...state.held].filter((id) => !gone.has(id))) }
    }
    case 'left':
      return { ...EMPTY, beams: state.beams + 1 }
    default:
      return putTransfers(state, [event])
  }
}

/** Applies events one after the other. A beam has thousands of files, so their list is copied once for all of them. */
export function putTransfers(state: TransfersState, events: readonly PutEvent[]): TransfersState {
  const put: Record<ItemId, Transfer> = {}
  for (const event of events) {
    const { id } = event
    const transfer = after(put[id] ?? state.transfers[id], event)
    if (transfer) put[id] = transfer
  }
  const ids = Object.keys(put) as ItemId[]
  if (ids.length === 0) return state
  return { ...state, transfers: { ...state.transfers, ...put }, parts: without(state.parts, ids) }
}

/** Returns the transfer of an item after an event; null where that concerns none. */
function after(transfer: Transfer | undefined, event: PutEvent): Transfer | null {
  switch (event.type) {
    case 'offering':
      return { role: 'sending', to: lostTo(transfer), url: event.url }
    case 'receiving':
      return { role: 'receiving', state: event.state }
    case 'sending': {
      const { to, state } = event
      if (transfer?.role === 'sending') return { ...transfer, to: { ...transfer.to, [to]: state } }
      // Of a file that a reload has taken from here, who has it counts.
      if (transfer?.role !== 'lost' || state.status !== 'done') return null
      return { ...transfer, to: { ...transfer.to, [to]: state } }
    }
    case 'storing':
      return { role: 'storing', state: event.state, url: event.url }
    case 'lost':
      return { role: 'lost', asks: event.asks, to: event.to ?? lostTo(transfer) }
    case 'missed': {
      if (transfer?.role !== 'lost') return null
      const { [event.by]: _missed, ...to } = transfer.to
      return { ...transfer, to }
    }
  }
}

/** Removes a transfer with its item. While Undo is offered, a whole file stays in the list, and a part of one on the disk. */
function forgotten(state: TransfersState, id: ItemId): TransfersState {
  const { [id]: transfer, ...transfers } = state.transfers
  if (!state.held.has(id)) return { ...state, transfers, parts: without(state.parts, [id]) }
  if (!transfer || isReceived(transfer)) return state
  return { ...state, transfers, parts: new Set([...state.parts, id]) }
}

function without(ids: ReadonlySet<ItemId>, gone: readonly ItemId[]): ReadonlySet<ItemId> {
  if (!gone.some((id) => ids.has(id))) return ids
  const left = new Set(ids)
  for (const id of gone) left.delete(id)
  return left
}

function lostTo(transfer: Transfer | undefined): SentTo {
  return transfer?.role === 'lost' ? transfer.to : {}
}

function isReceived(transfer: Transfer): boolean {
  return transfer.role === 'receiving' && transfer.state.status === 'done'
}

/** Whether anything of a file was received. */
function hasBytes(transfer: Transfer | undefined): boolean {
  if (transfer?.role !== 'receiving') return false
  return isReceived(transfer) || ('received' in transfer.state && transfer.state.received > 0)
}

/** Returns the state of each copy of a file that comes or goes. */
export function statesOf(transfer: Transfer): readonly (Receiving | Sending | Storing)[] {
  if (transfer.role === 'lost') return []
  return transfer.role === 'sending' ? Object.values(transfer.to) : [transfer.state]
}

/** Returns the devices that have received a file from here. */
export function sentTo(transfer: Transfer | undefined): SentTo {
  if (transfer?.role === 'lost') return transfer.to
  if (transfer?.role !== 'sending') return {}
  const isDone = (entry: [string, Sending]): entry is [string, SentTo[DeviceId]] => entry[1].status === 'done'
  return Object.fromEntries(Object.entries(transfer.to).filter(isDone))
}

/** Returns the blob URL of the whole file on this device; null while there is none. */
export function addressIn(transfer: Transfer | undefined): string | null {
  if (!transfer || transfer.role === 'lost') return null
  if (transfer.role !== 'receiving') return transfer.url
  return transfer.state.status === 'done' ? transfer.state.url : null
}

/**
 * Returns where a file can be read from here: on this device, or at the server, which has a copy of it. A copy that is sealed
 * (E7) is received first, as from a device.
 */
export function addressOf(
  { url, seal }: Pick<Extract<ItemContent, { kind: 'file' }>, 'url' | 'seal'>,
  transfer: Transfer | undefined,
): string | null {
  return addressIn(transfer) ?? (seal ? null : url)
}

/**
 * Whether nothing of a file is here or comes, and the server has a sealed copy of it (E7): it is received when its person
 * saves it, as one of which the copy is clear is downloaded then.
 */
export function waitsAtServer(
  { url, seal }: { readonly url: string | null; readonly seal?: unknown },
  transfer: Transfer | undefined,
): boolean {
  if (url === null || !seal || !transfer) return false
  if (transfer.role === 'lost') return true
  return transfer.role === 'receiving' && ['offered', 'cancelled'].includes(transfer.state.status)
}

/** Returns the files among items that other devices offer, that wait for a tap here, and of which the server has no copy. */
export function offeredHere(
  { transfers }: Pick<TransfersState, 'transfers'>,
  items: readonly Item[],
): readonly ItemId[] {
  return items.flatMap(({ id, content }) => {
    const transfer = transfers[id]
    const isOffered = transfer?.role === 'receiving' && transfer.state.status === 'offered'
    return isOffered && content.kind === 'file' && content.url === null ? [id] : []
  })
}

export function createTransfersStore() {
  return createStore<TransfersState>()(() => EMPTY)
}
