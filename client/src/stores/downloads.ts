/** The files that are on this device or on the server, and so can be saved. */
import type { ItemId } from '../protocol/bindings'
import { itemsOfCards } from './cards'
import type { Stores } from './stores'
import { addressOf } from './transfers'

export interface Download {
  readonly id: ItemId
  readonly url: string
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** Returns the files of some cards that can be downloaded now. */
export function downloadsOf(
  ids: readonly ItemId[],
  { items, transfers }: Pick<Stores, 'items' | 'transfers'>,
): Download[] {
  const known = transfers.getState().transfers
  return itemsOfCards(items.getState().items, ids).flatMap(({ id, content }) => {
    if (content.kind !== 'file') return []
    const url = addressOf(content, known[id])
    return url === null ? [] : [{ id, url, name: content.name, size: content.size }]
  })
}

/** Returns the files that came from other devices and are on this one, in the order of the beam. */
export function receivedFiles(stores: Pick<Stores, 'items' | 'transfers' | 'devices'>): Download[] {
  const { me } = stores.devices.getState()
  const { transfers } = stores.transfers.getState()
  const ids = stores.items.getState().items.flatMap(({ id, from }) => {
    const transfer = transfers[id]
    const isHere = transfer === undefined || transfer.role === 'receiving'
    return from !== null && from !== me && isHere ? [id] : []
  })
  return downloadsOf(ids, stores)
}
