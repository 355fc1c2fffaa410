/**
 * The folder picker of Chromium, which keeps empty folders (File System Access, 3.3). The older one, an input with
 * `webkitdirectory`, names files alone: there an empty folder is lost, and one without any file cannot be picked.
 */
import type { Folder, PlacedFolder, Reading } from '../actions'
import type { DroppedFiles } from './dropped'
import { readPlaced } from './placed'

interface FolderPicker {
  showDirectoryPicker(options: { id: string; mode: 'read' }): Promise<PlacedFolder>
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
    return await readPlaced([picked], reading.found).finally(reading.end)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
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
