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
 * @throws QuotaExceededError where the disk is full: memory would have even less room
 */
export async function newArchiveFile(name: string): Promise<ArchiveFile | null> {
  const folder = await archives()
  if (!folder || !('createWritable' in FileSystemFileHandle.prototype)) return null
  const letGo = await hold(name)
  const remove = async () => {
    await folder.removeEntry(name).catch(() => {})
    letGo()
  }
  try {
    const handle = await folder.getFileHandle(name, { create: true })
    const file = () => handle.getFile().finally(letGo)
    return { bytes: await handle.createWritable(), file, remove }
  } catch (error) {
    await remove()
    if (error instanceof DOMException && error.name === 'QuotaExceededError') throw error
    return null
  }
}

/** Marks an archive as one that is being made, for all tabs. Returns what ends that. */
async function hold(name: string): Promise<() => void> {
  return new Promise((held) => {
    const made = (lock: unknown) => new Promise<void>((letGo) => held(lock ? letGo : () => {}))
    // Where locks are forbidden, nothing else is allowed either that could remove it.
    navigator.locks.request(lockName(name), made).catch(() => made(null))
  })
}

function lockName(name: string): string {
  return `${FOLDER}/${name}`
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
    // Another tab may have removed it meanwhile.
    const at = handle.kind === 'file' ? await changedAt(handle).catch(() => null) : null
    if (at !== null && now - at > COPIED_WITHIN_MS) old.push(name)
  }
  // What is written goes beside the file at first, so that one that takes long to make looks as old as it is.
  for (const name of old)
    await navigator.locks
      .request(lockName(name), { ifAvailable: true }, async (lock) => lock && folder.removeEntry(name))
      .catch(() => {})
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
