/** Makes one item of many files that are shared together (F16). No byte of the files is read for it. */
import { plural } from '@lingui/core/macro'
import { type ManifestFacts, packsOf, uniquePaths, writeManifest } from '../protocol/manifest'

/** What the item's bytes are, and what its message says of them. */
export interface Pack {
  readonly file: File
  /** Absent for a single file, which is its own bytes. */
  readonly manifest?: ManifestFacts | undefined
}

/** The type of bytes that only this program can read. */
const PACK_TYPE = 'application/octet-stream'

/** Files joined in one go. Chromium then asks the disk for each, which takes up to half a millisecond. */
const AT_ONCE = 25

/**
 * Returns as few packs as the bounds of a manifest allow: one, unless there are tens of thousands of files. The page can
 * do other things meanwhile. Workers would not be faster: a file that goes to one is asked for on the page all the same.
 */
export async function packFiles(files: readonly File[]): Promise<readonly Pack[]> {
  // A file that was joined tells its size at once. A slice of it, or its size alone, would be asked for once more.
  const bytes = await joinFiles(files)
  const paths = uniquePaths(files.map(({ name }) => name))
  const listed = files.map(({ size, type, lastModified: modified }, at) => {
    return { path: paths[at] ?? '', size, type: type.slice(0, 255), modified }
  })
  let end = 0
  return packsOf(listed).map((part) => {
    const manifest = writeManifest(part)
    const count = part.length
    const name = plural(count, { one: '# file', other: '# files' })
    const start = end
    end += part.reduce((sum, { size }) => sum + size, 0)
    return {
      file: new File([manifest, bytes.slice(start, end)], name, { type: PACK_TYPE }),
      manifest: { files: count, bytes: manifest.byteLength },
    }
  })
}

/** Returns the files one after the other. The browser reads them when these bytes are read. */
async function joinFiles(files: readonly File[]): Promise<Blob> {
  // A blob of thousands of parts is slow to read, and one of parts of parts is not.
  const parts: Blob[] = []
  for (let first = 0; first < files.length; first += AT_ONCE) {
    if (first > 0) await otherTasks()
    parts.push(new Blob(files.slice(first, first + AT_ONCE)))
  }
  return new Blob(parts)
}

/** Lets waiting tasks run. A timer would wait for 4 ms each time. */
function otherTasks(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
