/** Reads what handles of File System Access stand for (Chromium). A folder is read with its empty folders, at any depth. */
import type { Folder, Place, PlacedFolder } from '../actions'
import type { DroppedFiles } from './dropped'

/** @param onFound called with each file that is found in a folder */
export async function readPlaced(
  places: readonly Place[],
  onFound: () => void = () => {},
): Promise<DroppedFiles> {
  const unreadable: string[] = []
  const files = places.map((place) => (place.kind === 'file' ? fileOf(place, unreadable) : null))
  const folders = places.map((place) =>
    place.kind === 'directory' ? folderOf(place, unreadable, onFound) : null,
  )
  const foundFiles = (await Promise.all(files)).filter((found) => found !== null)
  const foundFolders = (await Promise.all(folders)).filter((found) => found !== null)
  return {
    files: foundFiles.map(([file]) => file),
    folders: foundFolders.map(([folder]) => folder),
    handles: [...foundFiles, ...foundFolders],
    unreadable,
  }
}

type Found = readonly [File, FileSystemFileHandle]

async function fileOf(handle: FileSystemFileHandle, unreadable: string[]): Promise<Found | null> {
  try {
    return [await handle.getFile(), handle]
  } catch {
    unreadable.push(handle.name)
    return null
  }
}

interface Tree {
  readonly files: Folder['files'][number][]
  readonly folders: string[]
  readonly unreadable: string[]
  readonly onFound: () => void
}

/** Returns null for one that cannot be opened, which is named, and is no empty folder. */
async function folderOf(
  place: PlacedFolder,
  unreadable: string[],
  onFound: () => void,
): Promise<readonly [Folder, PlacedFolder] | null> {
  const { name } = place
  const tree: Tree = { files: [], folders: [], unreadable, onFound }
  await readInto(tree, place, name)
  const { files, folders } = tree
  return files.length + folders.length > 0 ? [{ name, files, folders }, place] : null
}

async function readInto(tree: Tree, folder: PlacedFolder, path: string): Promise<void> {
  try {
    const reads: Promise<void>[] = []
    for await (const entry of folder.values()) {
      const inside = `${path}/${entry.name}`
      reads.push(entry.kind === 'file' ? readFile(tree, entry, inside) : readInto(tree, entry, inside))
    }
    if (reads.length === 0) tree.folders.push(path)
    await Promise.all(reads)
  } catch {
    tree.unreadable.push(folder.name)
  }
}

async function readFile(tree: Tree, handle: FileSystemFileHandle, path: string): Promise<void> {
  const found = await fileOf(handle, tree.unreadable)
  if (!found) return
  tree.files.push({ path, file: found[0] })
  tree.onFound()
}
