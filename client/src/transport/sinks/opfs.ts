/** The sink in the browser's own disk space (Origin Private File System), written in place from a worker. */
import { NoRoom, type Sink, type SinkFile } from './sink'

// Only in workers, and therefore not in the types of the page.
declare global {
  interface FileSystemFileHandle {
    createSyncAccessHandle(): Promise<SyncAccessHandle>
  }
}

interface SyncAccessHandle {
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

/** @throws NoRoom when the browser grants too little space */
export async function openOpfsSink(file: SinkFile, tab: string): Promise<Sink> {
  const { quota = Number.POSITIVE_INFINITY, usage = 0 } = await navigator.storage.estimate()
  if (file.size > quota - usage) {
    throw new NoRoom('There is not enough free space for this file on this device.')
  }
  const folder = await tabFolder(tab)
  const handle = await folder.getFileHandle(file.id, { create: true })
  const access = await handle.createSyncAccessHandle()
  access.truncate(0)
  return {
    write(position, bytes) {
      if (access.write(bytes, { at: position }) !== bytes.byteLength) {
        throw new NoRoom('The space of this device is used up.')
      }
    },
    async finish() {
      access.flush()
      access.close()
      // A slice carries the type and still lies on the disk.
      return (await handle.getFile()).slice(0, file.size, file.type)
    },
    async abort() {
      access.close()
      await folder.removeEntry(file.id)
    },
  }
}

async function tabFolder(tab: string): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  const folder = await root.getDirectoryHandle(FOLDER, { create: true })
  return folder.getDirectoryHandle(tab, { create: true })
}

/** Removes what tabs that are gone have left. A living tab holds a lock under its name. */
export async function sweepOpfs(tab: string): Promise<void> {
  await new Promise<void>((held) => {
    // Held for as long as this worker lives.
    void navigator.locks.request(lockName(tab), () => {
      held()
      return new Promise(() => {})
    })
  })
  const { held = [] } = await navigator.locks.query()
  const alive = new Set(held.map((lock) => lock.name))
  const root = await navigator.storage.getDirectory()
  const folder = await root.getDirectoryHandle(FOLDER, { create: true })
  for await (const name of folder.keys()) {
    if (!alive.has(lockName(name))) await folder.removeEntry(name, { recursive: true })
  }
}

function lockName(tab: string): string {
  return `${FOLDER}/${tab}`
}
