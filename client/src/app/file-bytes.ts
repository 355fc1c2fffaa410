/** Reads files that are on this device, or of which the server has a copy. */
import type { Actions } from '../features/actions'
import type { FileFacts } from '../protocol/item'
import type { Stores } from '../stores/stores'
import { addressIn } from '../stores/transfers'
import { readStart } from '../transport/http'
import { lastingBytes, type Wanted } from '../transport/lasting-bytes'
import { readSealedStart } from '../transport/sealed-start'
import { blobBehind } from './blob-urls'

/** Returns the bytes behind an address. Of a copy they go on after the connection was cut. */
export function bytesOf(url: string, wanted: Wanted): ReadableStream<Uint8Array> {
  const blob = blobBehind(url)
  return blob ? blob.slice(wanted.start, wanted.end).stream() : lastingBytes(url, wanted)
}

/** Returns the first bytes behind an address: at most so many. @throws as `readStart` and `readSealedStart` do */
export async function startOf(
  url: string,
  { size, seal }: Pick<FileFacts, 'size' | 'seal'>,
  bytes: number,
): Promise<Uint8Array> {
  const blob = blobBehind(url)
  if (blob) return new Uint8Array(await blob.slice(0, bytes).arrayBuffer())
  return seal ? readSealedStart(url, { size, seal }, bytes) : readStart(url, bytes)
}

/** Reads files for their full view. */
export function createReading({
  items,
  transfers,
}: Pick<Stores, 'items' | 'transfers'>): Pick<Actions, 'readItem' | 'readFile'> {
  return {
    readFile: readStart,
    async readItem(id, bytes) {
      const content = items.getState().items.find((item) => item.id === id)?.content
      if (content?.kind !== 'file') throw new Error('There is no such file.')
      const here = addressIn(transfers.getState().transfers[id])
      if (here !== null) return readStart(here, bytes)
      if (content.url === null) throw new Error('The file is not here.')
      return startOf(content.url, content, bytes)
    },
  }
}
