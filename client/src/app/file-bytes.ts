/** Reads files that are on this device, or of which the server has a copy. */
import { lastingBytes, type Wanted } from '../transport/lasting-bytes'
import { blobBehind } from './blob-urls'

/** Returns the bytes behind an address. Of a copy they go on after the connection was cut. */
export function bytesOf(url: string, wanted: Wanted): ReadableStream<Uint8Array> {
  const blob = blobBehind(url)
  return blob ? blob.slice(wanted.start, wanted.end).stream() : lastingBytes(url, wanted)
}
