/** The content of a drop: files, including those in folders at any depth, or texts and links. */

export interface DroppedFiles {
  readonly files: readonly File[]
  /** Names of the files and folders that could not be read. The others are in `files`. */
  readonly unreadable: readonly string[]
}

export function hasFiles({ types }: DataTransfer): boolean {
  return types.includes('Files')
}

/** Must be called while the drop event is handled, because the browser empties the data after it. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<DroppedFiles> {
  const plain = [...files]
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  // Some sources provide files without entries.
  if (entries.length === 0) return { files: plain, unreadable: [] }
  return joined(await Promise.all(entries.map(filesOf)))
}

/** Links dropped at once that become notes of their own. */
const MOST_LINKS = 50

/** Returns the links of a drop, each for a note of its own, or its text. */
export function droppedTexts(data: DataTransfer): readonly string[] {
  const list = data.getData('text/uri-list').split(/\r?\n/)
  const links = list.filter((line) => line !== '' && !line.startsWith('#'))
  return links.length > 0 && links.length <= MOST_LINKS ? links : [data.getData('text/plain')]
}

async function filesOf(entry: FileSystemEntry): Promise<DroppedFiles> {
  try {
    if (isFile(entry)) return { files: [await fileOf(entry)], unreadable: [] }
    if (isFolder(entry)) return joined(await Promise.all((await entriesOf(entry)).map(filesOf)))
    return { files: [], unreadable: [] }
  } catch {
    return { files: [], unreadable: [entry.name] }
  }
}

function joined(parts: readonly DroppedFiles[]): DroppedFiles {
  return {
    files: parts.flatMap(({ files }) => files),
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
