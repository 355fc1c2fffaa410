/** What would be lost if this page left its beam now. */
import type { BeamAccess } from './beam-access'
import { type Connection, whyGone } from './connection'
import type { DevicesState } from './devices'
import type { ItemsState } from './items'
import { statesOf, type TransfersState } from './transfers'

export type Loss =
  /** Bytes are moving, and would stop. */
  | 'transfer'
  /** Only this page has a file that is offered to the beam. */
  | 'file'
  /** The server has not got everything that was shared here. */
  | 'unsent'
  /** Nobody else is in the unsaved beam, whose items the server forgets soon after. */
  | 'items'

export interface BeamNow {
  readonly items: ItemsState
  readonly transfers: TransfersState
  readonly connection: Connection
  readonly devices: DevicesState
  readonly access: BeamAccess
}

/** Returns what leaving the beam would lose; nothing of one that is closed for good. */
export function lossesOf(now: BeamNow): readonly Loss[] {
  if (whyGone(now.connection) !== null) return []
  const { items } = now.items
  const isAlone = now.devices.devices.length <= 1
  const isInMemory = now.access.kind !== 'saved'
  const losses: [Loss, boolean][] = [
    ['transfer', isAnyMoving(now.transfers)],
    ['file', isAnyOnlyHere(now)],
    ['unsent', items.some(({ seq, refusal }) => seq === null && refusal === undefined)],
    ['items', isAlone && isInMemory && items.length > 0],
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
