/** What is to be saved of an item that is many files (F16), and where. */
import type { Manifest } from '../protocol/manifest'
import type { PackReader } from '../transport/pack-reader'
import type { SavedTree } from '../transport/save-folder'

/** Files of a pack on their way to where they are saved. */
export interface Job extends Manifest {
  readonly reader: PackReader
  readonly signal: AbortSignal
  /** Called with the number of files that are done. */
  readonly count: (saved: number) => void
}

/** Where files of a pack go. */
export type Target =
  | { readonly to: 'folder'; readonly tree: SavedTree }
  /** An archive is written into a file that the person picked. */
  | { readonly to: 'file'; readonly file: FileSystemFileHandle }
  /** The browser downloads an archive, or a single file that is at the top. */
  | { readonly to: 'downloads' }

/** What came of it. */
export interface Outcome {
  readonly saved: number
  readonly of: number
  /** The name that the last file has where it was saved. */
  readonly name: string
  /** The paths of the files and folders that could not be saved. */
  readonly failed: readonly string[]
  /** Why nothing more was saved, and what is left of it. */
  readonly stopped?: { readonly why: unknown; readonly rest: Manifest } | undefined
}

/** The file that is saved as itself, and not in an archive; null where there are several, or folders. */
export function onlyFile({ files, folders }: Manifest) {
  const [file, ...others] = files
  const isAlone = file && others.length + folders.length === 0 && !file.path.includes('/')
  return isAlone ? file : null
}
