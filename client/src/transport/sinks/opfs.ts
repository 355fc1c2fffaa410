/**
 * Keeps received files in the browser's own disk space (Origin Private File System), written in place from a worker.
 * Each tab has a folder; the names of its files begin with the item's id.
 */
import type { ItemId } from '../../protocol/bindings'
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

/** Whether synchronous file handles are available here: only in workers, and only in secure contexts. */
export function hasOpfs(): boolean {
  return 'FileSystemFileHandle' in globalThis && 'createSyncAccessHandle' in FileSystemFileHandle.prototype
}

export class DiskFiles implements FileStore {
  readonly #folder: () => Promise<FileSystemDirectoryHandle>
  readonly #makeName: () => string
  /** Bytes promised to open files and not yet written. */
  #promised = 0

  /** @param makeName returns a name that was never used, so that an item received twice has two files */
  constructor(folder: () => Promise<FileSystemDirectoryHandle>, makeName: () => string) {
    this.#folder = folder
    this.#makeName = makeName
  }

  async open(file: SinkFile): Promise<Sink> {
    const { quota = Number.POSITIVE_INFINITY, usage = 0 } = await navigator.storage.estimate()
    if (file.size > quota - usage - this.#promised) {
      throw new NoRoom({ reason: 'noRoomHere' })
    }
    const promise = this.#promise(file.size)
    try {
      const folder = await this.#folder()
      const name = `${file.id} ${this.#makeName()}`
      const handle = await folder.getFileHandle(name, { create: true })
      const access = await handle.createSyncAccessHandle()
      return diskSink(file, handle, access, promise, () => folder.removeEntry(name))
    } catch (error) {
      promise.end()
      throw error
    }
  }

  async forget(id: ItemId): Promise<void> {
    const folder = await this.#folder()
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
  remove: () => Promise<void>,
): Sink {
  return {
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
      // A slice sets the type, and its bytes stay on the disk.
      return (await handle.getFile()).slice(0, file.size, file.type)
    },
    async discard() {
      access.close()
      promised.end()
      await remove()
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

/** Removes the folders of tabs that are closed. An open tab holds a lock with its name. */
export async function sweepDisk(tab: string): Promise<void> {
  await new Promise<void>((held, refused) => {
    // Held for as long as this worker lives.
    const lock = navigator.locks.request(lockName(tab), () => {
      held()
      return new Promise(() => {})
    })
    lock.catch(refused)
  })
  const folder = await receivedFolder()
  for await (const name of folder.keys()) {
    // A tab that starts meanwhile waits for its lock, and then makes its folder.
    await navigator.locks.request(lockName(name), { ifAvailable: true }, async (lock) => {
      if (lock) await folder.removeEntry(name, { recursive: true }).catch(() => {})
    })
  }
}

function lockName(tab: string): string {
  return `${FOLDER}/${tab}`
}
