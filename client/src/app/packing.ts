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

/** Returns as few packs as the bounds of a manifest allow: one, unless there are tens of thousands of files. */
export function packFiles(files: readonly File[]): readonly Pack[] {
  const paths = uniquePaths(files.map(({ name }) => name))
  const listed = files.map((file, at) => ({
    path: paths[at] ?? '',
    size: file.size,
    type: file.type.slice(0, 255),
    modified: file.lastModified,
    file,
  }))
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
