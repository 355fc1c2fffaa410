/** Makes one item of many files that are shared together (F16). No byte of the files is read for it. */
import { plural } from '@lingui/core/macro'
import {
  type ManifestFacts,
  type PackedFile,
  packsOf,
  uniquePaths,
  writeManifest,
} from '../protocol/manifest'

/** What the item's bytes are, and what its message says of them. */
export interface Pack {
  readonly file: File
  /** Absent for a single file, which is its own bytes. */
  readonly manifest?: ManifestFacts | undefined
}

/** The type of bytes that only this program can read. */
const PACK_TYPE = 'application/octet-stream'

/** Files looked at in one go. The browser asks the disk for the size of each, which takes about 0.1 ms. */
const AT_ONCE = 200

/**
 * Returns as few packs as the bounds of a manifest allow: one, unless there are tens of thousands of files. The page can
 * do other things meanwhile.
 */
export async function packFiles(files: readonly File[]): Promise<readonly Pack[]> {
  const paths = uniquePaths(files.map(({ name }) => name))
  const listed: (PackedFile & { file: Blob })[] = []
  for (let first = 0; first < files.length; first += AT_ONCE) {
    if (first > 0) await new Promise((resolve) => setTimeout(resolve))
    for (const [at, file] of files.slice(first, first + AT_ONCE).entries()) {
      const { size, type, lastModified: modified } = file
      // A part of a file has its size already, and joining the parts asks the disk no more.
      const part = file.slice(0, size)
      listed.push({ path: paths[first + at] ?? '', size, type: type.slice(0, 255), modified, file: part })
    }
  }
  return packsOf(listed).map((part) => {
    const manifest = writeManifest(part)
    const count = part.length
    const name = plural(count, { one: '# file', other: '# files' })
    return {
      // The browser joins the files when the bytes are read.
      file: new File([manifest, ...part.map(({ file }) => file)], name, { type: PACK_TYPE }),
      manifest: { files: count, bytes: manifest.byteLength },
    }
  })
}
