/**
 * Keeps received files in the browser's own disk space (Origin Private File System), written in place from a worker. Each
 * tab has a folder, in which the name of a file begins with its item.
 */
import type { ItemId } from '../../protocol/bindings'
import { type FileStore, NoRoom, type Sink, type SinkFile } from './sink'

// Only in workers, and therefore not in the types of the page.
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

/** Whether this browser has synchronous file handles here: only in workers, only in secure contexts. */
export function hasOpfs(): boolean {
  return 'FileSystemFileHandle' in globalThis && 'createSyncAccessHandle' in FileSystemFileHandle.prototype
}

export class DiskFiles implements FileStore {
  readonly #folder: () => Promise<FileSystemDirectoryHandle>
  readonly #makeName: () => string
  /** Bytes that open files have been promised and have not written. */
  #promised = 0

  /** @param makeName gives a name that was never used: what was asked for twice has two files */
  constructor(folder: () => Promise<FileSystemDirectoryHandle>, makeName: () => string) {
    this.#folder = folder
    this.#makeName = makeName
  }

  async open(file: SinkFile): Promise<Sink> {
    const { quota = Number.POSITIVE_INFINITY, usage = 0 } = await navigator.storage.estimate()
    if (file.size > quota - usage - this.#promised) {
      throw new NoRoom('There is not enough free space for this file on this device.')
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
    // One that is open still goes when its sink is discarded.
    for (const name of names) await folder.removeEntry(name).catch(() => {})
  }

  /** Room that one file may still take. */
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
        throw new NoRoom('The space of this device is used up.')
      }
      promised.take(bytes.byteLength)
    },
    async finish() {
      access.flush()
      access.close()
      promised.end()
      // A slice carries the type and still lies on the disk.
      return (await handle.getFile()).slice(0, file.size, file.type)
    },
    async discard() {
      access.close()
      promised.end()
      await remove()
    },
  }
}

/** The folder of one tab. */
export async function tabFolder(tab: string): Promise<FileSystemDirectoryHandle> {
  const folder = await receivedFolder()
  return folder.getDirectoryHandle(tab, { create: true })
}

async function receivedFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(FOLDER, { create: true })
}

/** Removes what tabs that are gone have left. A living tab holds a lock under its name. */
export async function sweepDisk(tab: string): Promise<void> {
  await new Promise<void>((held, refused) => {
    // Held for as long as this worker lives.
    const lock = navigator.locks.request(lockName(tab), () => {
      held()
      return new Promise(() => {})
    })
    lock.catch(refused)
  })
  const { held = [] } = await navigator.locks.query()
  const alive = new Set(held.map((lock) => lock.name))
  const folder = await receivedFolder()
  for await (const name of folder.keys()) {
    if (!alive.has(lockName(name))) await folder.removeEntry(name, { recursive: true }).catch(() => {})
  }
}

function lockName(tab: string): string {
  return `${FOLDER}/${tab}`
}
