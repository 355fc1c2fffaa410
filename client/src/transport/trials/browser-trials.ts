/** Looks at what this browser gives the page: its disk, its database, and what people have allowed. Nobody is asked. */
import type { Finding, Trial } from '../../protocol/findings'

const NAME = 'heliograph-doctor'

/** Whether the browser trusts this page's connection. */
export function trySecure(): Finding {
  return { trial: 'secure', outcome: isSecureContext ? 'ok' : 'warning' }
}

/** Writes a file, reads it, and deletes it. */
export async function tryStorage(): Promise<Finding> {
  return attempt('storage', async () => {
    const folder = await navigator.storage.getDirectory()
    const file = await folder.getFileHandle(NAME, { create: true })
    // Safari writes in workers only.
    if ('createWritable' in file) {
      const writing = await file.createWritable()
      await writing.write(NAME)
      await writing.close()
      if ((await (await file.getFile()).text()) !== NAME) throw new DOMException('other bytes', 'DataError')
    }
    await folder.removeEntry(NAME)
  })
}

/** Opens a database, and deletes it. */
export async function tryDatabase(): Promise<Finding> {
  return attempt('database', async () => {
    const opened = await done(indexedDB.open(NAME))
    opened.close()
    await done(indexedDB.deleteDatabase(NAME))
  })
}

/** Whether the page can be opened without a network. */
export async function tryWorker(): Promise<Finding> {
  return attempt('worker', async () => {
    await navigator.serviceWorker.getRegistration()
  })
}

/** What people have decided about a device or the clipboard. */
export async function tryPermission(trial: 'camera' | 'clipboard'): Promise<Finding> {
  const name = trial === 'camera' ? 'camera' : 'clipboard-read'
  try {
    // TypeScript does not list the names that only some browsers know.
    const { state } = await navigator.permissions.query({ name: name as PermissionName })
    return { trial, outcome: state === 'denied' ? 'warning' : 'ok', detail: state }
  } catch {
    // Not every browser tells.
    return { trial, outcome: 'skipped' }
  }
}

async function attempt(trial: Trial, work: () => Promise<void>): Promise<Finding> {
  try {
    await work()
    return { trial, outcome: 'ok' }
  } catch (error) {
    const detail = error instanceof Error || error instanceof DOMException ? error.name : undefined
    // The page works without: files stay in memory.
    return { trial, outcome: 'warning', detail }
  }
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
