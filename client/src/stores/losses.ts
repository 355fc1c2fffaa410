/** What would be lost if this page left its beam now. */
import type { BeamAccess } from './beam-access'
import { type Connection, whyGone } from './connection'
import type { DevicesState } from './devices'
import type { ItemsState } from './items'
import { isStored, type Keeping } from './keeping'
import { statesOf, type TransfersState } from './transfers'

export type Loss =
  /** Bytes are moving, and would stop. */
  | 'transfer'
  /** Only this page has a file that is offered to the beam. */
  | 'file'
  /** The server has not got everything that was shared here. */
  | 'unsent'
  /** Nobody else is in a beam that the server does not store, and whose items it forgets soon after. */
  | 'items'
  /** Nobody else is in a stored beam. Its items for one device are in memory only (S33). */
  | 'addressed'

export interface BeamNow {
  readonly items: ItemsState
  readonly transfers: TransfersState
  readonly connection: Connection
  readonly devices: DevicesState
  readonly access: BeamAccess
  readonly keeping: Keeping
}

/** Returns what leaving the beam would lose; nothing of one that is closed for good. */
export function lossesOf(now: BeamNow): readonly Loss[] {
  if (whyGone(now.connection) !== null) return []
  const { items } = now.items
  const isAlone = now.devices.devices.length <= 1
  const isKept = isStored(now.access, now.keeping)
  const losses: [Loss, boolean][] = [
    ['transfer', isAnyMoving(now.transfers)],
    ['file', isAnyOnlyHere(now)],
    ['unsent', items.some(({ seq, refusal }) => seq === null && refusal === undefined)],
    ['items', isAlone && !isKept && items.length > 0],
    ['addressed', isAlone && isKept && items.some(({ to }) => to !== undefined)],
  ]
  return losses.flatMap(([loss, isLost]) => (isLost ? loss : []))
}

/** Whether any file is being transferred, in either direction. */
export function isAnyMoving({ transfers }: Pick<TransfersState, 'transfers'>): boolean {
  return Object.values(transfers).some((transfer) =>
    statesOf(transfer).some(({ status }) => status === 'moving'),
  )
}

/** Whether only this page has a file that is offered to the beam. */
export function isAnyOnlyHere({
  items,
  transfers,
  connection,
}: Pick<BeamNow, 'items' | 'transfers' | 'connection'>): boolean {
  // Of a beam that is closed for good, nothing can be received any more.
  if (whyGone(connection) !== null) return false
  return items.items.some(({ id, content }) => {
    const transfer = transfers.transfers[id]
    if (content.kind !== 'file' || content.url !== null || transfer?.role !== 'sending') return false
    return !Object.values(transfer.to).some(({ status }) => status === 'done')
  })
}
