/** The files that are on this device or on the server, and so can be saved. */
import type { ItemId } from '../protocol/bindings'
import { itemsOfCards } from './cards'
import type { Stores } from './stores'
import { addressOf, waitsAtServer } from './transfers'

export interface Savable {
  readonly id: ItemId
  /** Null where it is received first: the server has a sealed copy of it (E7). */
  readonly url: string | null
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** One that can be read now. */
export interface Download extends Savable {
  readonly url: string
}

export function isHere(file: Savable): file is Download {
  return file.url !== null
}

/** Returns the files of some cards that can be saved. */
export function savableOf(
  ids: readonly ItemId[],
  { items, transfers }: Pick<Stores, 'items' | 'transfers'>,
): Savable[] {
  const known = transfers.getState().transfers
  return itemsOfCards(items.getState().items, ids).flatMap(({ id, content }) => {
    if (content.kind !== 'file') return []
    const url = addressOf(content, known[id])
    const canBeSaved = url !== null || waitsAtServer(content, known[id])
    return canBeSaved ? [{ id, url, name: content.name, size: content.size }] : []
  })
}

/** Returns those of them that can be read now. */
export function downloadsOf(ids: readonly ItemId[], stores: Pick<Stores, 'items' | 'transfers'>): Download[] {
  return savableOf(ids, stores).filter(isHere)
}

/** Returns the files that came from other devices and can be saved, in the order of the beam. */
export function receivedFiles(stores: Pick<Stores, 'items' | 'transfers' | 'devices'>): Savable[] {
  const { me } = stores.devices.getState()
  const { transfers } = stores.transfers.getState()
  const ids = stores.items.getState().items.flatMap(({ id, from }) => {
    const transfer = transfers[id]
    const isHere = transfer === undefined || transfer.role === 'receiving'
    return from !== null && from !== me && isHere ? [id] : []
  })
  return savableOf(ids, stores)
}
