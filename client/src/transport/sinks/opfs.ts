/**
 * Keeps received files in the browser's own disk space (Origin Private File System), written in place from a worker.
 * Each tab has a folder; the names of its files begin with the item's id. A complete file has an entry in the journal,
 * by which later pages find it.
 */
import type { ItemId } from '../../protocol/bindings'
import type { Journal } from './journal'
import { type FileStore, NoRoom, type Sink, type SinkFile } from './sink'

// Synchronous handles exist only in workers, so the DOM types lack them.
declare global {
  interface FileSystemFileHandle {
    createSyncAccessHandle(): Promise<SyncAccessHandle>
  }
}

export interface SyncAccessHandle {
  truncate(size: number): void
  write(bytes: Uint8Array, options: { at: number }): number
  flush(): void
  close(): void
}

const FOLDER = 'received'
const DAY_MS = 24 * 60 * 60 * 1000
/** A complete file that no page has shown for so many milliseconds is removed. */
export const UNUSED_MS = 7 * DAY_MS

/** Whether synchronous file handles are available here: only in workers, and only in secure contexts. */
export function hasOpfs(): boolean {
  return 'FileSystemFileHandle' in globalThis && 'createSyncAccessHandle' in FileSystemFileHandle.prototype
}

/** The tab that receives, and what it needs of its surroundings. */
export interface DiskTab {
  readonly name: string
  /** Opens the tab's folder. */
  readonly folder: () => Promise<FileSystemDirectoryHandle>
  /** Returns a name that was never used, so that an item received twice has two files. */
  readonly makeName: () => string
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
}

export class DiskFiles implements FileStore {
  readonly #tab: DiskTab
  readonly #journal: Journal
  /** Bytes promised to open files and not yet written. */
  #promised = 0

  constructor(tab: DiskTab, journal: Journal) {
    this.#tab = tab
    this.#journal = journal
  }

  async open(file: SinkFile): Promise<Sink> {
    const { quota = Number.POSITIVE_INFINITY, usage = 0 } = await navigator.storage.estimate()
    if (file.size > quota - usage - this.#promised) {
      throw new NoRoom({ reason: 'noRoomHere' })
    }
    const promise = this.#promise(file.size)
    try {
      const folder = await this.#tab.folder()
      const name = `${file.id} ${this.#tab.makeName()}`
      const handle = await folder.getFileHandle(name, { create: true })
      const access = await handle.createSyncAccessHandle()
      const entry = () => ({ tab: this.#tab.name, name, size: file.size, usedAt: this.#tab.now() })
      return diskSink(file, handle, access, promise, {
        complete: () => this.#journal.write(file.id, entry()),
        remove: () => folder.removeEntry(name),
      })
    } catch (error) {
      promise.end()
      throw error
    }
  }

  async find({ id, size, type }: SinkFile): Promise<Blob | null> {
    const entry = await this.#journal.read(id)
    if (entry?.size !== size) return null
    try {
      const folder = await (await receivedFolder()).getDirectoryHandle(entry.tab)
      const file = await (await folder.getFileHandle(entry.name)).getFile()
      if (file.size !== size) return null
      const now = this.#tab.now()
      if (now - entry.usedAt > DAY_MS)
        await this.#journal.write(id, { ...entry, usedAt: now }).catch(() => {})
      return file.slice(0, size, type)
    } catch {
      // The browser has cleared it.
      return null
    }
  }

  async forget(id: ItemId): Promise<void> {
    const entry = await this.#journal.read(id)
    const remove = async () => {
      await this.#journal.remove(id)
      if (entry) await removeFile(entry.tab, entry.name)
    }
    if (entry === null || entry.tab === this.#tab.name) await remove()
    // An open tab may still need its file for Undo, and forgets it itself.
    else await ifClosed(entry.tab, remove)
    const folder = await this.#tab.folder()
    const names: string[] = []
    for await (const name of folder.keys()) if (name.startsWith(id)) names.push(name)
    // A file that is still open cannot be removed here; it is removed when its sink is discarded.
    for (const name of names) await folder.removeEntry(name).catch(() => {})
  }

  /** Reserves room for one file. */
  #promise(size: number): Promised {
    let left = size
    this.#promised += left
    const take = (bytes: number) => {
      const taken = Math.min(bytes, left)
      left -= taken
      this.#promised -= taken
    }
    return { take, end: () => take(left) }
  }
}

interface Promised {
  take(bytes: number): void
  end(): void
}

function diskSink(
  file: SinkFile,
  handle: FileSystemFileHandle,
  access: SyncAccessHandle,
  promised: Promised,
  place: { complete: () => Promise<void>; remove: () => Promise<void> },
): Sink {
  let isKept = false
  return {
    get isKept() {
      return isKept
    },
    write(position, bytes) {
      if (access.write(bytes, { at: position }) !== bytes.byteLength) {
        throw new NoRoom({ reason: 'diskFull' })
      }
      promised.take(bytes.byteLength)
    },
    async finish() {
      access.flush()
      access.close()
      promised.end()
      // Without an entry the file is there for this tab alone.
      isKept = await place.complete().then(
        () => true,
        () => false,
      )
      // A slice sets the type, and its bytes stay on the disk.
      return (await handle.getFile()).slice(0, file.size, file.type)
    },
    async discard() {
      access.close()
      promised.end()
      await place.remove()
    },
  }
}

/** Returns the folder of one tab. */
export async function tabFolder(tab: string): Promise<FileSystemDirectoryHandle> {
  const folder = await receivedFolder()
  return folder.getDirectoryHandle(tab, { create: true })
}

async function receivedFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(FOLDER, { create: true })
}

async function removeFile(tab: string, name: string): Promise<void> {
  try {
    const folder = await (await receivedFolder()).getDirectoryHandle(tab)
    await folder.removeEntry(name)
  } catch {
    // It is gone already, or a tab still writes it and removes it then.
  }
}

/**
 * Frees what no page needs: complete files that were not used for long, and the unfinished ones of closed tabs. An open
 * tab holds a lock with its name.
 */
export async function sweepDisk(tab: string, journal: Journal, now: number): Promise<void> {
  await new Promise<void>((held, refused) => {
    // Held for as long as this worker lives.
    const lock = navigator.locks.request(lockName(tab), () => {
      held()
      return new Promise(() => {})
    })
    lock.catch(refused)
  })
  const needed = await sweepJournal(journal, now)
  const folder = await receivedFolder()
  for await (const name of folder.keys()) {
    // A tab that starts meanwhile waits for its lock, and then makes its folder.
    await ifClosed(name, () => sweepTab(folder, name, needed.get(name)))
  }
}

/** Does it unless the tab is open. */
async function ifClosed(tab: string, act: () => Promise<void>): Promise<void> {
  await navigator.locks.request(lockName(tab), { ifAvailable: true }, async (lock) => {
    if (lock) await act()
  })
}

/** Removes old and broken entries. Returns the files of the others, by tab. */
async function sweepJournal(
  journal: Journal,
  now: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const needed = new Map<string, Set<string>>()
  for (const [id, entry] of await journal.all()) {
    if (entry === null || now - entry.usedAt > UNUSED_MS) await journal.remove(id)
    else needed.set(entry.tab, (needed.get(entry.tab) ?? new Set()).add(entry.name))
  }
  return needed
}

async function sweepTab(
  folder: FileSystemDirectoryHandle,
  tab: string,
  needed: ReadonlySet<string> | undefined,
): Promise<void> {
  if (!needed) return folder.removeEntry(tab, { recursive: true }).catch(() => {})
  const files = await folder.getDirectoryHandle(tab)
  const names: string[] = []
  for await (const name of files.keys()) if (!needed.has(name)) names.push(name)
  for (const name of names) await files.removeEntry(name).catch(() => {})
}

function lockName(tab: string): string {
  return `${FOLDER}/${tab}`
}
