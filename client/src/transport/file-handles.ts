/**
 * What a later page needs of the files that were shared from this device: where each lies (File System Access, Chromium only), and
 * samples of its content. Of an item that is many files (F16), where its folders or files lie, and its manifest.
 */
import type { ItemId } from '../protocol/bindings'
import { isSame, type PieceHash } from '../protocol/piece-checks'
import { samplesOf } from './file-samples'
import { Table } from './table'

// The DOM types lack the permissions of File System Access, section 2.3.
declare global {
  interface FileSystemHandle {
    queryPermission?(options: { mode: 'read' | 'readwrite' }): Promise<PermissionState>
    requestPermission?(options: { mode: 'read' | 'readwrite' }): Promise<PermissionState>
  }
}

/** What is not asked for within so many milliseconds is removed, as what was received is. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

/** So many handles are kept of one item at most. A folder is one. The browser is asked for each, before a byte is read. */
const MAX_HANDLES = 1_000

/** @typeParam Handle a handle of a file or a folder */
interface KeptFile<Handle> {
  /** Empty where the browser does not say where files lie. */
  readonly handles: readonly Handle[]
  /** The manifest of an item that is many files, at most 8 MiB (F16); about 1 MB for 10,000 files. */
  readonly list?: Uint8Array<ArrayBuffer>
  /** Absent until they are read. */
  readonly samples?: PieceHash
  /** Milliseconds since the Unix epoch. */
  readonly keptAt: number
}

/** What lies at kept handles can be read, or the person must allow that first. */
export type Found<Handle> =
  | { readonly is: 'readable'; readonly handles: readonly Handle[] }
  | { readonly is: 'asking' }

export class FileHandles<Handle extends FileSystemHandle = FileSystemHandle> {
  readonly #table = new Table<ItemId, KeptFile<Handle>>('offered', 'files')
  /** One file is sampled after the other: many may be shared at once. */
  #sampled: Promise<void> = Promise.resolve()

  /** @param now milliseconds since the Unix epoch */
  constructor(readonly now: () => number = Date.now) {}

  /** @param list the manifest of an item that is many files */
  async keep(id: ItemId, file: Blob, handles: readonly Handle[], list: Blob | null = null): Promise<void> {
    // Where it cannot be kept, the person chooses the file again.
    const entered = this.#enter(id, handles, list).catch(() => {})
    this.#sampled = Promise.all([entered, this.#sampled]).then(() => this.#sample(id, file))
    await this.#sampled
  }

  async #enter(id: ItemId, handles: readonly Handle[], list: Blob | null): Promise<void> {
    const kept = { handles: handles.length > MAX_HANDLES ? [] : handles, keptAt: this.now() }
    const bytes = list && { list: new Uint8Array(await list.arrayBuffer()) }
    await this.#table.change(id, (there) => ({ ...there, ...kept, ...bytes }))
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

  /** Returns the manifest of an item that is many files; null where none is kept. */
  async listOf(id: ItemId): Promise<Uint8Array<ArrayBuffer> | null> {
    return (await this.#table.read(id).catch(() => null))?.list ?? null
  }

  async forget(id: ItemId): Promise<void> {
    // Where the browser refuses it, the entry is swept by its time.
    await this.#table.remove(id).catch(() => {})
  }

  /** Returns null when nothing is kept, or it may not be read. */
  async find(id: ItemId): Promise<Found<Handle> | null> {
    const handles = await this.#handlesOf(id)
    const state = await stateOf(handles)
    if (state === 'prompt') return { is: 'asking' }
    return state === 'granted' ? { is: 'readable', handles } : null
  }

  /**
   * Asks the person for what an item is made of. Must be called while a press is handled. Returns null when it cannot be had.
   * The person is asked once: where the answer is not about all of it, there would be a question for each file.
   */
  async ask(id: ItemId): Promise<readonly Handle[] | null> {
    const handles = await this.#handlesOf(id)
    const state = await handles[0]?.requestPermission?.({ mode: 'read' }).catch(() => 'denied')
    return state === 'granted' && (await stateOf(handles)) === 'granted' ? handles : null
  }

  async sweep(): Promise<void> {
    await this.#table.sweep(({ keptAt }) => this.now() - keptAt > KEPT_MS)
  }

  async #handlesOf(id: ItemId): Promise<readonly Handle[]> {
    // What an older page has kept has none.
    return (await this.#table.read(id))?.handles ?? []
  }
}

/** Returns what the person has allowed of all of these: the least of any. */
async function stateOf(handles: readonly FileSystemHandle[]): Promise<PermissionState> {
  if (handles.length === 0) return 'denied'
  const states = await Promise.all(
    handles.map(async (handle) => {
      return (await handle.queryPermission?.({ mode: 'read' }).catch(() => 'denied' as const)) ?? 'granted'
    }),
  )
  return (['denied', 'prompt'] as const).find((state) => states.includes(state)) ?? 'granted'
}
