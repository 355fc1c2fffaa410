/**
 * Remembers which received files are complete, in the browser's own disk space: one small file for each item. A later
 * page finds the bytes by it. A file without an entry is unfinished, whatever its size.
 */
import * as v from 'valibot'
import type { ItemId } from '../../protocol/bindings'
import { parseJson } from '../../protocol/envelope'

/** Where the bytes of an item are. */
export interface JournalEntry {
  /** The tab whose folder the file is in. */
  readonly tab: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** The last day on which a page showed the file, in milliseconds since the Unix epoch. */
  readonly usedAt: number
}

const FOLDER = 'complete'

const entrySchema = v.object({ tab: v.string(), name: v.string(), size: v.number(), usedAt: v.number() })

export class Journal {
  /** @throws when the disk cannot be written */
  async write(id: ItemId, entry: JournalEntry): Promise<void> {
    const handle = await (await entries()).getFileHandle(id, { create: true })
    const access = await handle.createSyncAccessHandle()
    try {
      access.truncate(0)
      access.write(new TextEncoder().encode(JSON.stringify(entry)), { at: 0 })
      access.flush()
    } finally {
      access.close()
    }
  }

  /** Returns null for an item without a complete file. An entry whose writing was interrupted counts as none. */
  async read(id: ItemId): Promise<JournalEntry | null> {
    try {
      const handle = await (await entries()).getFileHandle(id)
      const parsed = v.safeParse(entrySchema, parseJson(await (await handle.getFile()).text()))
      return parsed.success ? parsed.output : null
    } catch {
      return null
    }
  }

  async remove(id: ItemId): Promise<void> {
    await (await entries()).removeEntry(id).catch(() => {})
  }

  async all(): Promise<readonly (readonly [ItemId, JournalEntry | null])[]> {
    const ids: ItemId[] = []
    for await (const name of (await entries()).keys()) ids.push(name as ItemId)
    return Promise.all(ids.map(async (id) => [id, await this.read(id)] as const))
  }
}

async function entries(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(FOLDER, { create: true })
}
