/**
 * Keeps received files in the browser's own disk space (Origin Private File System), written in place from a worker.
 * Each tab has a folder; the names of its files begin with the item's id. The journal knows which files are complete and
 * what there is of the others, so that later pages find them and go on with them.
 */

import { CHUNK_BYTES, type ItemId } from '../../protocol/bindings'
import type { ChunkRange } from '../../protocol/chunk-set'
import type { PieceHash } from '../../protocol/piece-checks'
import { rangeBytes } from '../../protocol/receiver'
import type { TransferFailure } from '../../protocol/transfer-failure'
import type { UnfinishedFile } from '../../protocol/unfinished-file'
import { closesWithin, fileIn, ifClosed, openTabs, removeFile } from './disk-folders'
import { type DiskPart, diskSink, type Reserved, type SyncAccessHandle } from './disk-sink'
import type { Journal, JournalEntry } from './journal'
import { type FileStore, type Found, NoRoom, PartUnopened, type Sink, type SinkFile } from './sink'

const DAY_MS = 24 * 60 * 60 * 1000
/**
 * The most free room that Chromium tells a page of, however much there is, so that nobody is known by the size of their
 * disk. Its answers have `usageDetails`; those of other browsers are true.
 */
const MOST_TOLD_BYTES = 10 * 1024 ** 3
/** A page that was left, or has crashed, gives up what it holds within this time. */
const LEFT_MS = 2_000
/** Its file may be given up after its lock, so it is tried again in between: the pause before, in milliseconds. */
const TRY_PAUSE_MS = 50

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

const NOTHING: DiskPart = { durable: [], told: new Map() }

/** An unfinished file. */
type Begun = JournalEntry & { readonly durable: readonly ChunkRange[] }

export class DiskFiles implements FileStore {
  readonly #tab: DiskTab
  readonly #journal: Journal
  /** Files that this page shows, complete or not. */
  readonly #shown = new Set<ItemId>()
  /** Bytes reserved for open files and not yet written. */
  #reserved = 0

  constructor(tab: DiskTab, journal: Journal) {
    this.#tab = tab
    this.#journal = journal
  }

  async open(file: SinkFile): Promise<Sink> {
    // What an earlier worker of this tab has left is swept or taken up only when its lock is free.
    const folder = await this.#tab.folder()
    const begun = await this.#begun(await this.#journal.read(file.id), file)
    if (begun) {
      const sink = await this.#goOn(file, begun)
      if (sink) return sink
    }
    await this.forget(file.id)
    const reserved = await this.#reserve(file.size, { reason: 'noRoomHere' })
    try {
      const name = `${file.id} ${this.#tab.makeName()}`
      const handle = await folder.getFileHandle(name, { create: true })
      const access = await handle.createSyncAccessHandle()
      return this.#sink(file, { handle, access, reserved, folder: this.#tab.name, name, before: NOTHING })
    } catch (error) {
      reserved.end()
      throw error
    }
  }

  async find(file: SinkFile): Promise<Found | null> {
    const { id, size, type } = file
    const entry = await this.#journal.read(id)
    if (entry?.size !== size) return null
    if (entry.durable !== null) {
      const begun = await this.#begun(entry, file)
      if (!begun) return null
      await this.#used(id, begun)
      return { is: 'begun', bytes: bytesIn(begun.durable, size), isPaused: begun.isPaused ?? false }
    }
    try {
      const whole = await (await fileIn(entry.folder, entry.name)).getFile()
      if (whole.size !== size) return null
      await this.#used(id, entry)
      return { is: 'complete', file: whole.slice(0, size, type) }
    } catch {
      // The browser has cleared it.
      return null
    }
  }

  /** Notes again what this page shows, which may be open for longer than what nobody shows is kept. Called once in a while. */
  async stillShows(): Promise<void> {
    const entries = await this.#journal.all().catch(() => [])
    for (const [id, entry] of entries) if (this.#shown.has(id)) await this.#used(id, entry)
  }

  async leave(id: ItemId): Promise<void> {
    this.#shown.delete(id)
  }

  /** Notes the day on which a page has shown a file. A complete one is this tab's then, unless the tab that has it is open. */
  async #used(id: ItemId, { tab, name, durable, usedAt }: JournalEntry): Promise<void> {
    this.#shown.add(id)
    const now = this.#tab.now()
    if (now - usedAt <= DAY_MS) return
    const isLeft = durable === null && !(await openTabs([tab])).has(tab)
    await this.#journal.used(id, name, { tab: isLeft ? this.#tab.name : tab, usedAt: now })
  }

  async unfinished(): Promise<readonly UnfinishedFile[]> {
    const entries = await this.#journal.all()
    const open = await openTabs(entries.map(([, { tab }]) => tab))
    return entries.flatMap(([id, { tab, size, durable, known, usedAt }]) => {
      if (durable === null || !known) return []
      const isElsewhere = tab !== this.#tab.name && open.has(tab)
      return { id, ...known, size, bytes: bytesIn(durable, size), usedAt, isElsewhere }
    })
  }

  async turn(id: ItemId, isPaused: boolean): Promise<void> {
    const entry = await this.#journal.read(id)
    if (!entry?.durable) return
    // Only of this part: another may take its place meanwhile, or be complete.
    const isMeant = ({ name, durable }: JournalEntry) => name === entry.name && durable !== null
    const turn = async () => {
      await this.#journal.change(id, (now) => (now && isMeant(now) ? { ...now, isPaused } : now))
    }
    if (entry.tab === this.#tab.name) await turn()
    else await ifClosed(entry.tab, turn)
  }

  async forget(id: ItemId): Promise<void> {
    this.#shown.delete(id)
    const entry = await this.#journal.read(id)
    const remove = async () => {
      await this.#journal.remove(id)
      if (entry) await this.#journal.hashes.remove(entry.name)
      if (entry) await removeFile(entry.folder, entry.name)
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

  /** Returns the entry if it is that of an unfinished file, unless another tab still receives it. */
  async #begun(entry: JournalEntry | null, { size }: SinkFile): Promise<Begun | null> {
    if (!entry?.durable || entry.size !== size) return null
    const isMine = entry.tab === this.#tab.name
    if (!isMine && !(await closesWithin(entry.tab, LEFT_MS))) return null
    return { ...entry, durable: entry.durable }
  }

  /**
   * Opens an unfinished file. Returns null when it is gone, or shorter than its entry says.
   * @throws NoRoom when there is no room for the rest, PartUnopened when the file cannot be opened now
   */
  async #goOn(file: SinkFile, { tab, folder, name, durable }: Begun): Promise<Sink | null> {
    let access: SyncAccessHandle | null = null
    let reserved: Reserved | null = null
    try {
      const handle = await fileIn(folder, name)
      access = await opened(handle)
      const length = access.getSize()
      // The browser has lost a part of it.
      if (length < endOf(durable, file.size)) {
        access.close()
        return null
      }
      reserved = await this.#reserve(file.size - length, { reason: 'diskFull' })
      const told = await this.#journal.hashes.of(name)
      const sink = this.#sink(file, { handle, access, reserved, folder, name, before: { durable, told } })
      // From now on it is this tab's, so that no other takes it up.
      const entered = sink.part?.keep(durable, false).catch(() => {})
      if (tab !== this.#tab.name) await entered
      return sink
    } catch (error) {
      access?.close()
      reserved?.end()
      if (isGone(error)) return null
      throw error instanceof NoRoom ? error : new PartUnopened(error)
    }
  }

  #sink(
    file: SinkFile,
    open: {
      handle: FileSystemFileHandle
      access: SyncAccessHandle
      reserved: Reserved
      folder: string
      name: string
      before: DiskPart
    },
  ): Sink {
    const { handle, access, reserved, folder, name, before } = open
    const { id, size, name: called, beam } = file
    const known = { name: called, beam }
    this.#shown.add(id)
    const place = {
      enter: (durable: readonly ChunkRange[] | null, isPaused: boolean) => {
        const entry = {
          tab: this.#tab.name,
          folder,
          name,
          size,
          durable,
          isPaused,
          known,
          usedAt: this.#tab.now(),
        }
        // Every piece was compared.
        if (durable === null) void this.#journal.hashes.remove(name)
        return this.#journal.enter(id, entry)
      },
      remove: async () => {
        await this.#journal.removeFile(id, name)
        await this.#journal.hashes.remove(name)
        await removeFile(folder, name)
      },
      keepHashes: (told: ReadonlyMap<number, PieceHash>) => void this.#journal.hashes.keep(name, told),
    }
    return diskSink(file, handle, access, reserved, place, before)
  }

  /**
   * Reserves room for what a file will grow by. Browsers count the length of a file, with the holes in it.
   * @throws NoRoom when the browser gives less
   */
  async #reserve(bytes: number, why: TransferFailure): Promise<Reserved> {
    const estimate = await navigator.storage.estimate().catch(() => ({}))
    if (bytes > freeBytes(estimate) - this.#reserved) throw new NoRoom(why)
    let left = bytes
    this.#reserved += left
    const take = (taken: number) => {
      const part = Math.min(taken, left)
      left -= part
      this.#reserved -= part
    }
    return { take, end: () => take(left) }
  }
}

/** The room that the browser gives; infinite where it does not tell, and a full disk is met when it is. */
function freeBytes(estimate: StorageEstimate): number {
  const { quota = Number.POSITIVE_INFINITY, usage = 0 } = estimate
  const free = quota - usage
  return 'usageDetails' in estimate && free >= MOST_TOLD_BYTES ? Number.POSITIVE_INFINITY : free
}

function bytesIn(ranges: readonly ChunkRange[], size: number): number {
  return ranges.reduce((sum, range) => sum + rangeBytes(range, size), 0)
}

/** Returns where the last of some chunks ends, in bytes. */
function endOf(ranges: readonly ChunkRange[], size: number): number {
  const last = ranges.at(-1)
  return last ? last.first * CHUNK_BYTES + rangeBytes(last, size) : 0
}

/** Whether the browser has cleared a file. */
function isGone(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError'
}

/** Opens a file that a page which was left may hold for a moment longer. */
async function opened(handle: FileSystemFileHandle): Promise<SyncAccessHandle> {
  for (let waited = 0; ; waited += TRY_PAUSE_MS) {
    try {
      return await handle.createSyncAccessHandle()
    } catch (error) {
      if (isGone(error) || waited >= LEFT_MS) throw error
      await new Promise((resolve) => setTimeout(resolve, TRY_PAUSE_MS))
    }
  }
}
