/**
 * What a later page needs of the files that were shared from this device: where each lies (File System Access, Chromium only), and
 * samples of its content.
 */
import type { ItemId } from '../protocol/bindings'
import { isSame, type PieceHash } from '../protocol/piece-checks'
import { samplesOf } from './file-samples'
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

interface KeptFile {
  /** Absent where the browser does not say where files lie. */
  readonly handle?: FileSystemFileHandle
  /** Absent until they are read. */
  readonly samples?: PieceHash
  /** Milliseconds since the Unix epoch. */
  readonly keptAt: number
}

/** A kept file: it can be read, or the person must allow that first. */
export type Found = { readonly is: 'readable'; readonly file: File } | { readonly is: 'asking' }

export class FileHandles {
  readonly #table = new Table<ItemId, KeptFile>('offered', 'files')
  /** One file is sampled after the other: many may be shared at once. */
  #sampled: Promise<void> = Promise.resolve()

  /** @param now milliseconds since the Unix epoch */
  constructor(readonly now: () => number = Date.now) {}

  async keep(id: ItemId, file: Blob, handle?: FileSystemFileHandle): Promise<void> {
    const kept = { ...(handle && { handle }), keptAt: this.now() }
    // Where it cannot be kept, the person chooses the file again.
    const entered = this.#table.change(id, (there) => ({ ...there, ...kept })).catch(() => {})
    this.#sampled = Promise.all([entered, this.#sampled]).then(() => this.#sample(id, file))
    await this.#sampled
  }

  async #sample(id: ItemId, file: Blob): Promise<void> {
    const samples = await samplesOf(file).catch(() => null)
    // Its item may be gone by then.
    if (samples) await this.#table.change(id, (there) => there && { ...there, samples }).catch(() => {})
  }

  /** Whether a file has the content of the one that was shared, as far as samples tell. */
  async isSame(id: ItemId, file: Blob): Promise<boolean> {
    const kept = (await this.#table.read(id).catch(() => null))?.samples
    if (!kept) return true
    const samples = await samplesOf(file).catch(() => null)
    return samples !== null && isSame(samples, kept)
  }

  async forget(id: ItemId): Promise<void> {
    // Where the browser refuses it, the entry is swept by its time.
    await this.#table.remove(id).catch(() => {})
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
    await this.#table.sweep(({ keptAt }) => this.now() - keptAt > KEPT_MS)
  }
}

async function read(handle: FileSystemFileHandle): Promise<Extract<Found, { is: 'readable' }> | null> {
  try {
    return { is: 'readable', file: await handle.getFile() }
  } catch {
    return null
  }
}
