/** Where files lie that were shared from this device, for a later page (File System Access, Chromium only). */
import type { ItemId } from '../protocol/bindings'
import { Table } from './table'

// The DOM types lack the permissions of File System Access, section 2.3.
declare global {
  interface FileSystemFileHandle {
    queryPermission?(options: { mode: 'read' }): Promise<PermissionState>
    requestPermission?(options: { mode: 'read' }): Promise<PermissionState>
  }
}

/** What is not asked for within so many milliseconds is removed, as what was received is. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

interface KeptHandle {
  readonly handle: FileSystemFileHandle
  /** Milliseconds since the Unix epoch. */
  readonly keptAt: number
}

/** A kept file: it can be read, or the person must allow that first. */
export type Found = { readonly is: 'readable'; readonly file: File } | { readonly is: 'asking' }

export class FileHandles {
  readonly #table = new Table<ItemId, KeptHandle>('offered', 'files')

  /** @param now milliseconds since the Unix epoch */
  constructor(readonly now: () => number = Date.now) {}

  async keep(id: ItemId, handle: FileSystemFileHandle): Promise<void> {
    // Where it cannot be kept, the person chooses the file again.
    await this.#table.write(id, { handle, keptAt: this.now() }).catch(() => {})
  }

  async forget(id: ItemId): Promise<void> {
    await this.#table.remove(id)
  }

  /** Returns null when nothing is kept, or the file is gone or may not be read. */
  async find(id: ItemId): Promise<Found | null> {
    const handle = (await this.#table.read(id))?.handle
    if (!handle) return null
    const state = (await handle.queryPermission?.({ mode: 'read' }).catch(() => 'denied')) ?? 'granted'
    if (state === 'prompt') return { is: 'asking' }
    return state === 'granted' ? read(handle) : null
  }

  /** Asks the person for a file. Must be called while a press is handled. Returns null when it cannot be had. */
  async ask(id: ItemId): Promise<File | null> {
    const handle = (await this.#table.read(id))?.handle
    const state = await handle?.requestPermission?.({ mode: 'read' }).catch(() => 'denied')
    return handle && state === 'granted' ? ((await read(handle))?.file ?? null) : null
  }

  async sweep(): Promise<void> {
    const old = ({ keptAt }: KeptHandle) => this.now() - keptAt > KEPT_MS
    for (const [id, entry] of await this.#table.all().catch(() => [])) {
      if (old(entry)) await this.#table.remove(id, old)
    }
  }
}

async function read(handle: FileSystemFileHandle): Promise<Extract<Found, { is: 'readable' }> | null> {
  try {
    return { is: 'readable', file: await handle.getFile() }
  } catch {
    return null
  }
}
