/** Makes a zip archive of files and folders while they are read. The only file that imports `client-zip`. */
import { makeZip } from 'client-zip'

export interface Entry {
  /** Parts joined by `/`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** Milliseconds since the Unix epoch. An archive keeps it; a file that a browser saves bears the time of the saving. */
  readonly modified: number
  /** Asked for when its turn has come, once the files before it were read to their ends. */
  readonly bytes: () => Promise<ReadableStream<Uint8Array>>
}

// The dates of a zip archive are from 1980 to 2107 (APPNOTE, 4.4.6).
const FIRST_DATE = Date.UTC(1980, 0, 2)
const LAST_DATE = Date.UTC(2107, 11, 30)

/**
 * Returns the bytes of an archive. It is not compressed, and may be larger than 4 GiB (zip64).
 * @param folders the paths of the folders without files
 */
export function zip(entries: readonly Entry[], folders: readonly string[] = []): ReadableStream<Uint8Array> {
  return makeZip(inputsOf(entries, folders))
}

async function* inputsOf(entries: readonly Entry[], folders: readonly string[]) {
  // Its name ends with a slash (APPNOTE, 4.3.8), and no one knows its time.
  for (const path of folders) yield { name: `${path}/` }
  for (const { path, size, modified, bytes } of entries) {
    const lastModified = new Date(Math.min(Math.max(modified, FIRST_DATE), LAST_DATE))
    yield { name: path, size, lastModified, input: await bytes() }
  }
}
