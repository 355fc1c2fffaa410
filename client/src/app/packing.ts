/** Makes one item of many files that are shared together (F16). No byte of the files is read for it. */
import { plural } from '@lingui/core/macro'
import { type ManifestFacts, packsOf, uniquePaths, writeManifest } from '../protocol/manifest'
import { joinInWorkers } from './joined-files'

/** What the item's bytes are, and what its message says of them. */
export interface Pack {
  readonly file: File
  /** Absent for a single file, which is its own bytes. */
  readonly manifest?: ManifestFacts | undefined
}

/** The type of bytes that only this program can read. */
const PACK_TYPE = 'application/octet-stream'

/** Returns as few packs as the bounds of a manifest allow: one, unless there are tens of thousands of files. */
export async function packFiles(files: readonly File[]): Promise<readonly Pack[]> {
  const paths = uniquePaths(files.map(({ name }) => name))
  const { bytes, facts } = await joinInWorkers(files)
  const listed = facts.map(({ size, type, modified }, at) => {
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
