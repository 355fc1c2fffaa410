/** Downloads of the files that are on this device or on the server. */
import type { ItemId } from '../../protocol/bindings'
import type { Stores } from '../../stores/stores'
import { addressIn } from '../../stores/transfers'

export interface Download {
  readonly url: string
  readonly name: string
}

/** Returns the files among some items that can be downloaded now. */
export function downloadsOf(ids: Iterable<ItemId>, { items, transfers }: Stores): Download[] {
  const wanted = new Set(ids)
  const known = transfers.getState().transfers
  return items.getState().items.flatMap(({ id, content }) => {
    if (!wanted.has(id) || content.kind !== 'file') return []
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
