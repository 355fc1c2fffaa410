/** Downloads of the files that are on this device or on the server. */
import type { ItemId } from '../../protocol/bindings'
import { itemsOfCards } from '../../stores/cards'
import type { Stores } from '../../stores/stores'
import { addressIn } from '../../stores/transfers'

export interface Download {
  readonly url: string
  readonly name: string
}

/** Returns the files of some cards that can be downloaded now. */
export function downloadsOf(ids: readonly ItemId[], { items, transfers }: Stores): Download[] {
  const known = transfers.getState().transfers
  return itemsOfCards(items.getState().items, ids).flatMap(({ id, content }) => {
    if (content.kind !== 'file') return []
    const url = addressIn(known[id]) ?? content.url
    return url === null ? [] : [{ url, name: content.name }]
  })
}

/** Lets the browser download files, each into its own folder. */
export function download(files: readonly Download[]): void {
  for (const { url, name } of files) {
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
  }
}
