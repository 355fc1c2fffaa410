/**
 * Archives on the browser's own disk (Origin Private File System), for browsers that can write into no other place. One is
 * written there as it is made, so that it is never in memory as a whole, and then the browser downloads the file.
 */

const FOLDER = 'archives'

/** The browser has copied what it downloads after so many milliseconds. There is no word of it. */
const COPIED_WITHIN_MS = 60 * 60 * 1000

export interface ArchiveFile {
  readonly bytes: WritableStream<Uint8Array>
  /** Returns the file, once its bytes are written to their end. */
  file(): Promise<File>
  remove(): Promise<void>
}

/**
 * Makes an empty file. Returns null where the browser gives pages no such disk: on plain http, in private windows of
 * Firefox, and before Safari 26, which writes there from workers alone.
 * @param name one that no other file has
 */
export async function newArchiveFile(name: string): Promise<ArchiveFile | null> {
  const folder = await archives()
  if (!folder || !('createWritable' in FileSystemFileHandle.prototype)) return null
  const remove = () => folder.removeEntry(name).catch(() => {})
  try {
    const handle = await folder.getFileHandle(name, { create: true })
    return { bytes: await handle.createWritable(), file: () => handle.getFile(), remove }
  } catch {
    await remove()
    return null
  }
}

/**
 * Removes the archives that were downloaded.
 * @param now milliseconds since the Unix epoch
 */
export async function sweepArchives(now: number): Promise<void> {
  const folder = await archives()
  if (!folder) return
  const old: string[] = []
  for await (const [name, handle] of folder.entries()) {
    // One that is being written in another tab was changed lately, and is locked.
    if (handle.kind === 'file' && now - (await changedAt(handle)) > COPIED_WITHIN_MS) old.push(name)
  }
  for (const name of old) await folder.removeEntry(name).catch(() => {})
}

async function changedAt(handle: FileSystemFileHandle): Promise<number> {
  return (await handle.getFile()).lastModified
}

async function archives(): Promise<FileSystemDirectoryHandle | null> {
  try {
    const root = await navigator.storage.getDirectory()
    return await root.getDirectoryHandle(FOLDER, { create: true })
  } catch {
    return null
  }
}
