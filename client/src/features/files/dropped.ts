/** The content of a drop: files and folders, or texts and links. */
import type { Chosen, Folder, Place } from '../actions'

/** Its files are those that were dropped by themselves. */
export interface DroppedFiles extends Chosen {
  /** Where these files and folders lie, so that a later page can read them (Chromium). */
  readonly handles: readonly (readonly [File | Folder, Place])[]
  /** Names of the files and folders that could not be read. The others are in `files` and `folders`. */
  readonly unreadable: readonly string[]
}

export function hasFiles({ types }: DataTransfer): boolean {
  return types.includes('Files')
}

/** Whether folders are among what is dropped or pasted. */
export function hasFolders({ items }: DataTransfer): boolean {
  return [...items].some((item) => item.webkitGetAsEntry()?.isDirectory)
}

/**
 * Must be called while the drop event is handled, because the browser empties the data after it.
 * @param onFound called with each file that is found in a folder
 */
export async function droppedFiles(
  { items, files }: DataTransfer,
  onFound: () => void = () => {},
): Promise<DroppedFiles> {
  const plain = [...files]
  const entries = [...items].flatMap((item) => {
    const entry = item.webkitGetAsEntry()
    return entry ? [{ entry, place: handleOf(item) }] : []
  })
  // Some sources provide files without entries.
  if (entries.length === 0) return { ...NOTHING, files: plain }
  return joined(await Promise.all(entries.map(({ entry, place }) => filesOf(entry, place, onFound))))
}

interface PlacedItem {
  getAsFileSystemHandle(): Promise<Place | null>
}

/** Returns where a dropped file or folder lies; null where the browser does not tell. */
async function handleOf(item: DataTransferItem): Promise<Place | null> {
  const source: object = item
  if (!isPlaced(source)) return null
  return await source.getAsFileSystemHandle().catch(() => null)
}

function isPlaced(item: object): item is PlacedItem {
  return 'getAsFileSystemHandle' in item
}

/** Links dropped at once that become notes of their own. */
const MOST_LINKS = 50

/** Returns the links of a drop, each for a note of its own, or its text. */
export function droppedTexts(data: DataTransfer): readonly string[] {
  const list = data.getData('text/uri-list').split(/\r?\n/)
  const links = list.filter((line) => line !== '' && !line.startsWith('#'))
  return links.length > 0 && links.length <= MOST_LINKS ? links : [data.getData('text/plain')]
}

const NOTHING: DroppedFiles = { files: [], folders: [], handles: [], unreadable: [] }

async function filesOf(
  entry: FileSystemEntry,
  place: Promise<Place | null> | null,
  onFound: () => void,
): Promise<DroppedFiles> {
  try {
    if (isFile(entry)) {
      const file = await fileOf(entry)
      return { ...NOTHING, files: [file], handles: await placed(file, place) }
    }
    if (!isFolder(entry)) return NOTHING
    const { unreadable, ...tree } = await treeOf(entry, entry.name, onFound)
    // One that cannot be opened is named, and is no empty folder.
    if (unreadable.length > 0 && tree.files.length + tree.folders.length === 0)
      return { ...NOTHING, unreadable }
    const folder = { name: entry.name, ...tree }
    return { ...NOTHING, folders: [folder], handles: await placed(folder, place), unreadable }
  } catch {
    return { ...NOTHING, unreadable: [entry.name] }
  }
}

async function placed(
  what: File | Folder,
  place: Promise<Place | null> | null,
): Promise<DroppedFiles['handles']> {
  const handle = await place
  return handle ? [[what, handle]] : []
}

type Tree = Omit<Folder, 'name'> & Pick<DroppedFiles, 'unreadable'>

/** Reads a folder at any depth. @param path its path, to which those of its entries are joined */
async function treeOf(folder: FileSystemDirectoryEntry, path: string, onFound: () => void): Promise<Tree> {
  const entries = await entriesOf(folder)
  if (entries.length === 0) return { files: [], folders: [path], unreadable: [] }
  const parts = await Promise.all(entries.map((entry) => branchOf(entry, `${path}/${entry.name}`, onFound)))
  return {
    files: parts.flatMap(({ files }) => files),
    folders: parts.flatMap(({ folders }) => folders),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
  }
}

async function branchOf(entry: FileSystemEntry, path: string, onFound: () => void): Promise<Tree> {
  const none = { files: [], folders: [], unreadable: [] }
  try {
    if (!isFile(entry)) return isFolder(entry) ? await treeOf(entry, path, onFound) : none
    const file = await fileOf(entry)
    onFound()
    return { ...none, files: [{ path, file }] }
  } catch {
    return { ...none, unreadable: [entry.name] }
  }
}

function joined(parts: readonly DroppedFiles[]): DroppedFiles {
  return {
    files: parts.flatMap(({ files }) => files),
    folders: parts.flatMap(({ folders }) => folders),
    handles: parts.flatMap(({ handles }) => handles),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** Reads a folder in parts; an empty part marks the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return all
    all.push(...part)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
