/**
 * Remembers what was received onto the browser's own disk space: which files are complete, and which chunks are there of
 * the others. A later page finds the bytes by it. A file without an entry is worth nothing, whatever its size, because
 * chunks are written in any order.
 */
import type { BeamId, ItemId } from '../../protocol/bindings'
import type { ChunkRange } from '../../protocol/chunk-set'
import { Table } from '../table'
import { ToldHashes } from './told-hashes'

/** Where the bytes of an item are. */
export interface JournalEntry {
  /** The tab that receives the file or shows it, or did so last. */
  readonly tab: string
  /** The folder in which the file is: that of the tab that began it. */
  readonly folder: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** The chunks that are durable; null when all of them are. */
  readonly durable: readonly ChunkRange[] | null
  /** Whether the person has paused it; absent in entries of pages that could not pause. */
  readonly isPaused?: boolean
  /** What a person knows the file by; absent in entries of pages that could not list them. */
  readonly known?: { readonly name: string; readonly beam: BeamId }
  /** The last day on which a page showed the file, in milliseconds since the Unix epoch. */
  readonly usedAt: number
}

export class Journal extends Table<ItemId, JournalEntry> {
  /** What this page has entered: Chromium may lose its database when an entry meets a full disk. */
  readonly #entered = new Map<ItemId, JournalEntry>()
  readonly hashes = new ToldHashes()

  constructor() {
    super('received', 'files')
  }

  /**
   * Enters a file of an item. Where another tab receives or has another file of it, of which more is there, that one stays: a later
   * page finds one of them only.
   * @throws when the browser refuses it
   */
  async enter(id: ItemId, entry: JournalEntry): Promise<void> {
    this.#entered.set(id, entry)
    const then = await this.change(id, (there) => (there && isMore(there, entry) ? there : entry))
    if (then !== entry && this.#entered.get(id) === entry) this.#entered.delete(id)
  }

  override async read(id: ItemId): Promise<JournalEntry | null> {
    const entered = this.#entered.get(id) ?? null
    if (!entered) return super.read(id)
    const there = await super.read(id).catch(() => null)
    // What was entered last may not have come onto a full disk, which still has what was entered before.
    const isOlder = there?.name === entered.name && chunkCount(there) < chunkCount(entered)
    return there && !isOlder ? there : entered
  }

  /** Where the browser refuses it, the entry is swept by its time. */
  override async remove(id: ItemId, isMeant?: (entry: JournalEntry) => boolean): Promise<void> {
    const entered = this.#entered.get(id)
    if (entered && (isMeant?.(entered) ?? true)) this.#entered.delete(id)
    await super.remove(id, isMeant).catch(() => {})
  }

  override async change<Then extends JournalEntry | null>(
    id: ItemId,
    to: (there: JournalEntry | null) => Then,
  ): Promise<Then> {
    const entered = this.#entered.get(id)
    const then = entered && to(entered)
    if (then) this.#entered.set(id, then)
    return super.change(id, to)
  }

  /** Notes that a page shows this file of an item. Where the browser refuses it, the entry stays as it is. */
  async used(id: ItemId, name: string, use: Partial<Pick<JournalEntry, 'tab' | 'usedAt'>>): Promise<void> {
    await this.change(id, (there) => (there?.name === name ? { ...there, ...use } : there)).catch(() => {})
  }

  /** Removes the entry of an item if it is about this file. A later file of the item may have taken its place. */
  removeFile(id: ItemId, name: string): Promise<void> {
    return this.remove(id, (entry) => entry.name === name)
  }
}

/** Whether of one file of an item more is there than of another. */
function isMore(one: JournalEntry, other: JournalEntry): boolean {
  return one.name !== other.name && one.size === other.size && chunkCount(one) > chunkCount(other)
}

/** A complete file has more than any part. */
function chunkCount({ durable }: JournalEntry): number {
  return durable?.reduce((sum, { count }) => sum + count, 0) ?? Number.POSITIVE_INFINITY
}
