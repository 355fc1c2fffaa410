/** What is to be saved of an item that is many files (F16), and where. */
import type { Manifest } from '../protocol/manifest'
import type { PackReader } from '../transport/pack-reader'
import type { SaveFolder } from '../transport/save-folder'

/** Files of a pack on their way to where they are saved. */
export interface Job extends Manifest {
  readonly reader: PackReader
  readonly signal: AbortSignal
  /** Called with the number of files that are done. */
  readonly count: (saved: number) => void
}

/** Where files of a pack go. */
export type Target =
  | { readonly to: 'folder'; readonly folder: SaveFolder }
  /** An archive is written into a file that the person picked. */
  | { readonly to: 'file'; readonly file: FileSystemFileHandle }
  /** The browser downloads an archive. */
  | { readonly to: 'downloads' }
