/** Makes a zip archive of files while they are read. The only file that imports `client-zip`. */
import { makeZip } from 'client-zip'

export interface Entry {
  /** Parts joined by `/`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Milliseconds since the Unix epoch. */
  readonly modified: number
  /** Asked for when its turn has come, once the files before it were read to their ends. */
  readonly bytes: () => ReadableStream<Uint8Array>
}

// The dates of a zip archive are from 1980 to 2107 (APPNOTE, 4.4.6).
const FIRST_DATE = Date.UTC(1980, 0, 2)
const LAST_DATE = Date.UTC(2107, 11, 30)

/** Returns the bytes of an archive. It is not compressed, and may be larger than 4 GiB (zip64). */
export function zip(entries: readonly Entry[]): ReadableStream<Uint8Array> {
  return makeZip(inputsOf(entries))
}

function* inputsOf(entries: readonly Entry[]) {
  for (const { path, size, modified, bytes } of entries) {
    const lastModified = new Date(Math.min(Math.max(modified, FIRST_DATE), LAST_DATE))
    yield { name: path, size, lastModified, input: bytes() }
  }
}
