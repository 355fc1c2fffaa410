/** The files in what was dropped: a folder gives the files in it, however deep. */

/** Must be called while the drop event is handled; the browser forgets the entries after it. */
export async function droppedFiles(data: DataTransfer): Promise<readonly File[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry())
  const files = await Promise.all(entries.map((entry) => (entry ? filesOf(entry) : [])))
  const found = files.flat()
  // Some sources give files and no entries.
  return found.length > 0 ? found : [...data.files]
}

async function filesOf(entry: FileSystemEntry): Promise<readonly File[]> {
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))]
  if (!isFolder(entry)) return []
  const inside = await Promise.all((await entriesOf(entry)).map(filesOf))
  return inside.flat()
}

/** A folder is read in parts; an empty part is its end. */
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
