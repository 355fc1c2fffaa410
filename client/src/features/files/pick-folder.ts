/**
 * The folder picker of Chromium, which keeps empty folders (File System Access, 3.3). The older one, an input with
 * `webkitdirectory`, names files alone: there an empty folder is lost, and one without any file cannot be picked.
 */
import type { Folder, Reading } from '../actions'
import type { DroppedFiles } from './dropped'

interface FolderPicker {
  showDirectoryPicker(options: { id: string; mode: 'read' }): Promise<PickedFolder>
}

/** The part of a picked folder that is read here. */
interface PickedFolder {
  readonly kind: 'directory'
  readonly name: string
  values(): AsyncIterable<PickedFolder | FileSystemFileHandle>
}

export function canPickFolders(): boolean {
  return hasPicker(globalThis)
}

function hasPicker(scope: object): scope is FolderPicker {
  return 'showDirectoryPicker' in scope
}

/**
 * Asks for a folder and reads its tree. Must be called while a press is handled. Returns null when the person closed the
 * picker.
 * @param readsFolder called when the reading begins
 * @throws where the browser does not open it, as in a frame of another site
 */
export async function pickFolder(readsFolder: () => Reading): Promise<DroppedFiles | null> {
  const scope: object = globalThis
  if (!hasPicker(scope)) throw new Error('There is no such picker.')
  try {
    const picked = await scope.showDirectoryPicker({ id: 'shared', mode: 'read' })
    const reading = readsFolder()
    return await readFolder(picked, reading.found).finally(reading.end)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

interface Found {
  readonly files: Folder['files'][number][]
  readonly folders: string[]
  readonly unreadable: string[]
  readonly onFound: () => void
}

async function readFolder(folder: PickedFolder, onFound: () => void): Promise<DroppedFiles> {
  const found: Found = { files: [], folders: [], unreadable: [], onFound }
  await readInto(found, folder, folder.name)
  const { files, folders, unreadable } = found
  const isThere = files.length + folders.length > 0
  const { name } = folder
  return { files: [], folders: isThere ? [{ name, files, folders }] : [], handles: [], unreadable }
}

async function readInto(found: Found, folder: PickedFolder, path: string): Promise<void> {
  try {
    const reads: Promise<void>[] = []
    for await (const entry of folder.values()) {
      const inside = `${path}/${entry.name}`
      reads.push(entry.kind === 'file' ? readFile(found, entry, inside) : readInto(found, entry, inside))
    }
    if (reads.length === 0) found.folders.push(path)
    await Promise.all(reads)
  } catch {
    found.unreadable.push(folder.name)
  }
}

async function readFile(
  { files, unreadable, onFound }: Found,
  handle: FileSystemFileHandle,
  path: string,
): Promise<void> {
  try {
    files.push({ path, file: await handle.getFile() })
    onFound()
  } catch {
    unreadable.push(handle.name)
  }
}

/** Returns the folders of which an older picker named the files, and the files of which it does not say the folder. */
export function foldersOf(chosen: readonly File[]): DroppedFiles {
  const folders = new Map<string, Folder['files'][number][]>()
  const files: File[] = []
  for (const file of chosen) {
    const path = file.webkitRelativePath
    const name = path.slice(0, Math.max(path.indexOf('/'), 0))
    if (name === '') {
      files.push(file)
      continue
    }
    const known = folders.get(name) ?? []
    folders.set(name, known)
    known.push({ path, file })
  }
  const found = [...folders].map(([name, inside]) => ({ name, files: inside, folders: [] }))
  return { files, folders: found, handles: [], unreadable: [] }
}
