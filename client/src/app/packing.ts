/** Makes one item of many files that are shared together, or of a folder (F16). No byte of the files is read for it. */
import { plural } from '@lingui/core/macro'
import type { Chosen, Folder } from '../features/actions'
import { type ManifestFacts, packsOf, writeManifest } from '../protocol/manifest'
import { packPaths } from '../protocol/pack-paths'
import { GLANCE_WITHIN_MS, within } from '../transport/within'
import { notePacked, type Part } from './changed-files'

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
 * Of so many bytes, files that are joined in one go are read while the next are joined: to open a file takes the browser
 * longer than to read a few kilobytes of it, and would take its time out of that of the transfer.
 */
const SMALL = 1024 * 1024
const HELD = 64 * SMALL

/**
 * Returns as few packs as the bounds of a manifest allow: one, unless there are tens of thousands of files. The page can
 * do other things meanwhile. Workers would not be faster: a file that goes to one is asked for on the page all the same.
 */
export function packFiles(files: readonly File[]): Promise<readonly Pack[]> {
  return pack(treeOf({ files, folders: [] }), countName)
}

/** Packs a folder with its tree, as `packFiles` does files. */
export function packFolder(folder: Folder): Promise<readonly Pack[]> {
  return pack({ ...folder, from: [folder] }, () => folder.name, true)
}

/** Packs several folders into one item, where there is no room for one each. */
export function packFolders(folders: readonly Folder[]): Promise<readonly Pack[]> {
  const count = folders.length
  return pack(treeOf({ files: [], folders }), () => plural(count, { one: '# folder', other: '# folders' }))
}

/** Files with their paths, empty folders, and what they are from. Of files alone, `from` is the files. */
type Tree = Omit<Folder, 'name'> & { readonly from?: readonly Folder[] }

function treeOf({ files, folders }: Chosen): Tree {
  // Two that were dropped together may have one name, and stay two.
  const names = packPaths(folders.map(({ name }) => name)).files
  const moved = folders.map(({ name, ...tree }, at) => {
    const under = (path: string) => `${names[at] ?? ''}${path.slice(name.length)}`
    return {
      files: tree.files.map(({ path, file }) => ({ path: under(path), file })),
      folders: tree.folders.map(under),
    }
  })
  // A name with a slash is one name, and no path.
  const named = files.map((file) => ({ path: file.name.replaceAll('/', '_'), file }))
  return {
    files: [...named, ...moved.flatMap((tree) => tree.files)],
    folders: moved.flatMap((tree) => tree.folders),
    ...(folders.length > 0 && { from: folders }),
  }
}

/** Returns the files that were chosen, by the paths that they have in a manifest. */
export function packedPaths(chosen: Chosen): ReadonlyMap<string, File> {
  const { files, folders } = treeOf(chosen)
  const paths = packPaths(
    files.map(({ path }) => path),
    folders,
  )
  return new Map(files.map(({ file }, at) => [paths.files[at] ?? '', file]))
}

/** Packs files under a manifest that exists, in its order, so that the bytes are those of before where the files are. */
export async function packAgain(
  name: string,
  list: Uint8Array<ArrayBuffer>,
  parts: readonly (Part & { readonly file: File })[],
  { files, folders }: Chosen,
): Promise<File> {
  const bytes = await joinFiles(parts.map(({ file }) => file))
  return packed(name, list, bytes, parts, [...folders, ...files])
}

function packed(
  name: string,
  list: Uint8Array<ArrayBuffer>,
  bytes: Blob,
  parts: readonly Part[],
  from: readonly (File | Folder)[],
): File {
  const head = new Blob([list])
  const file = new File([head, bytes], name, { type: PACK_TYPE })
  notePacked(file, { parts, from, list: head })
  return file
}

function countName(count: number): string {
  return plural(count, { one: '# file', other: '# files' })
}

/** @param nameOf returns the name of an item of so many files */
async function pack(tree: Tree, nameOf: (files: number) => string, folder = false): Promise<readonly Pack[]> {
  const files = tree.files.map(({ file }) => file)
  // A file that was joined tells its size at once. A slice of it, or its size alone, would be asked for once more.
  const bytes = await joinFiles(files)
  const paths = packPaths(
    tree.files.map(({ path }) => path),
    tree.folders,
  )
  const listed = files.map(({ size, type, lastModified: modified }, at) => {
    return { path: paths.files[at] ?? '', size, type: type.slice(0, 255), modified }
  })
  let end = 0
  let first = 0
  return packsOf(listed, paths.folders).map((part) => {
    const manifest = writeManifest(part.files, part.folders)
    const count = part.files.length
    const start = end
    end += part.files.reduce((sum, { size }) => sum + size, 0)
    const own = files.slice(first, first + count)
    first += count
    const parts = own.map((file, at) => ({ path: part.files[at]?.path ?? '', file }))
    return {
      file: packed(nameOf(count), manifest, bytes.slice(start, end), parts, tree.from ?? own),
      manifest: { files: count, bytes: manifest.byteLength, ...(folder && { folder }) },
    }
  })
}

/** Returns the files one after the other. Those that are small are read at once, the others when these bytes are read. */
async function joinFiles(files: readonly File[]): Promise<Blob> {
  // A blob of thousands of parts is slow to read, and one of parts of parts is not.
  const parts: Promise<BlobPart>[] = []
  let held = 0
  for (let first = 0; first < files.length; first += AT_ONCE) {
    if (first > 0) await otherTasks()
    const part = new Blob(files.slice(first, first + AT_ONCE))
    const small = part.size <= SMALL && held + part.size <= HELD
    if (small) held += part.size
    // One that cannot be read any more, or not now, is found out when it is sent, and told then.
    const read = small && within(GLANCE_WITHIN_MS, part.arrayBuffer()).catch(() => part)
    parts.push(read || Promise.resolve(part))
  }
  return new Blob(await Promise.all(parts))
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
