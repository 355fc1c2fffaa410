/** What would be lost if this page left its beam now. */
import { isUnsent } from '../protocol/item'
import type { BeamAccess } from './beam-access'
import { type ClearCopiesState, takersOfCopies } from './clear-copies'
import { type Connection, whyGone } from './connection'
import { type DevicesState, seals } from './devices'
import type { Encryption } from './encryption'
import type { ItemsState } from './items'
import { isStored, type Keeping } from './keeping'
import { statesOf, type TransfersState } from './transfers'
import { isOutside, type TrustState } from './trust'
import type { WaitingEdits } from './waiting-edits'

export type Loss =
  /** Bytes are moving, and would stop. */
  | 'transfer'
  /** Only this page has a file that is offered to the beam. */
  | 'file'
  /** The server has not got everything that was shared here. */
  | 'unsent'
  /** Nobody else is in a beam that the server does not store, and whose items it forgets soon after. */
  | 'items'
  /** Of the others who are in such a beam, none can read what is there: nobody has let them in, or they do not seal. */
  | 'unread'
  /** Nobody else is in a stored beam. Its items for one device are in memory only (S33). */
  | 'addressed'

export interface BeamNow {
  readonly items: ItemsState
  readonly transfers: TransfersState
  readonly connection: Connection
  readonly devices: DevicesState
  readonly access: BeamAccess
  readonly keeping: Keeping
  readonly encryption: Encryption
  readonly trust: Pick<TrustState, 'devices'>
  readonly clearCopies: ClearCopiesState
  readonly waitingEdits: WaitingEdits
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
    ['unsent', items.some(isUnsent) || now.waitingEdits.count > 0],
    ['items', isAlone && !isKept && items.length > 0],
    ['unread', !isAlone && !isKept && items.length > 0 && !isAnyReading(now)],
    ['addressed', isAlone && isKept && items.some(({ to }) => to !== undefined)],
  ]
  return losses.flatMap(([loss, isLost]) => (isLost ? loss : []))
}

/** Whether another device that is here can read what is in the beam. */
function isAnyReading({ devices: { devices, me }, encryption, trust, clearCopies }: BeamNow): boolean {
  const others = devices.filter(({ device_id }) => device_id !== me)
  if (encryption.kind !== 'sealed') return others.length > 0
  if (takersOfCopies(clearCopies, { devices, me }).length > 0) return true
  return others.some((device) => seals(device) && !isOutside(trust, device.device_id))
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
