/** Offers files again that a reload lost, under the items by which the other devices know them. */
import type { Chosen } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { type Manifest, readManifest } from '../protocol/manifest'
import { type FileItem, isFile } from '../stores/cards'
import type { Context } from './context'
import { packAgain, packedPaths } from './packing'
import { whilePreparing } from './preparing'
import { changedPartsText, changedText, matchFiles, missingText, whyNoneOf, whyNotSame } from './same-file'
import { watchGone } from './transfer-news'

/** What is remembered of the files that are shared. */
export interface SharedFiles {
  /** A file is shared under an item. */
  shared(id: ItemId, file: Blob): void
  /** Whether a file is the one that was shared under an item, although its name, size and time are the same. */
  isSame(id: ItemId, file: Blob): Promise<boolean>
  /** Returns the manifest of an item that is many files (F16); null where none is kept. */
  listOf(id: ItemId): Promise<Uint8Array<ArrayBuffer> | null>
}

export const NOTHING_REMEMBERED: SharedFiles = {
  shared: () => {},
  isSame: async () => true,
  listOf: async () => null,
}

export class LostFiles {
  readonly #context: Context
  readonly #known: SharedFiles
  readonly #offer: (item: FileItem, file: File) => void
  /** What was chosen so far of items that are many files: they may lie in several folders. */
  readonly #parts = new Map<ItemId, Chosen>()

  /** @param offer lets devices receive a file from here under its item */
  constructor(context: Context, known: SharedFiles, offer: (item: FileItem, file: File) => void) {
    this.#context = context
    this.#known = known
    this.#offer = offer
    watchGone(context.stores, (id) => this.#parts.delete(id))
  }

  /** The person has chosen again what some items are. Tells why it is none of them. */
  async chosen(ids: readonly ItemId[], chosen: Chosen): Promise<void> {
    const items = this.#itemsOf(ids)
    const [item] = items
    if (item?.content.manifest) return this.#tell(await this.#offerPack(item, chosen))
    const { found, others } = matchFiles(items, chosen.files)
    const changed: FileItem[] = []
    for (const [item, file] of found) if (!(await this.#offerIfSame(item, file))) changed.push(item)
    this.#tell(whyNoneOf(items, others, changed))
  }

  /** The browser has found again what an item is. @param tells whether the person is told when it is not the same */
  async found(id: ItemId, found: Chosen, tells: boolean): Promise<void> {
    const [item] = this.#itemsOf([id])
    if (!item) return
    const why = item.content.manifest
      ? await this.#offerPack(item, found)
      : await this.#offerFile(item, found)
    if (tells) this.#tell(why)
  }

  /** Offers a file if it is the same. Returns why it is not, in words for the person; null where it is, or is not there. */
  async #offerFile(item: FileItem, { files: [file] }: Chosen): Promise<string | null> {
    const why = file ? whyNotSame(file, item.content) : null
    if (!file || why !== null) return why
    return (await this.#offerIfSame(item, file)) ? null : changedText(item.content.name)
  }

  /** The same for an item that is many files. What was chosen of it before counts as well. */
  async #offerPack(item: FileItem, now: Chosen): Promise<string | null> {
    const { id, content } = item
    const bytes = await this.#known.listOf(id)
    const list = bytes && content.manifest && readManifest(bytes, content.manifest, content.size)
    if (!list || !this.#isLost(item)) return null
    const chosen = joined(this.#parts.get(id), now)
    const { parts, missing } = partsOf(list, chosen)
    if (missing.length > 0) {
      this.#parts.set(id, chosen)
      return missingText(content.name, missing)
    }
    this.#parts.delete(id)
    const pack = () => packAgain(content.name, bytes, parts, chosen)
    const made = await whilePreparing(this.#context.toaster, parts.length, pack)
    // Those that are packed tell their size at once.
    const changed = list.files
      .filter((file, at) => !isAsListed(parts[at]?.file, file))
      .map(({ path }) => path)
    if (changed.length > 0) return changedPartsText(content.name, changed)
    return (await this.#offerIfSame(item, made)) ? null : changedText(content.name)
  }

  /** Offers a file, unless its content is another. The same seal must never seal other bytes (E7). Returns whether it is. */
  async #offerIfSame(item: FileItem, file: File): Promise<boolean> {
    if (!this.#isLost(item)) return true
    if (!(await this.#known.isSame(item.id, file))) return false
    // It may have been chosen twice, or be gone.
    if (!this.#isLost(item)) return true
    this.#offer(item, file)
    this.#known.shared(item.id, file)
    return true
  }

  #isLost({ id }: FileItem): boolean {
    return this.#context.stores.transfers.getState().transfers[id]?.role === 'lost'
  }

  #itemsOf(ids: readonly ItemId[]): readonly FileItem[] {
    const wanted = new Set(ids)
    const { items } = this.#context.stores.items.getState()
    return items.filter(isFile).filter(({ id }) => wanted.has(id))
  }

  #tell(why: string | null): void {
    if (why !== null) this.#context.toaster.bad(why)
  }
}

/** Adds what is chosen to what was. Of two that bear one name, the one that was chosen last counts. */
function joined(before: Chosen | undefined, now: Chosen): Chosen {
  const names = new Set([...now.files, ...now.folders].map(({ name }) => name))
  const isOther = ({ name }: { name: string }) => !names.has(name)
  return {
    files: [...(before?.files.filter(isOther) ?? []), ...now.files],
    folders: [...(before?.folders.filter(isOther) ?? []), ...now.folders],
  }
}

/** Finds the files of a manifest, in its order, and the paths of those that were not chosen. Others that were do not matter. */
function partsOf({ files }: Manifest, chosen: Chosen) {
  const found = packedPaths(chosen)
  const parts = files.flatMap(({ path }) => {
    const file = found.get(path)
    return file ? [{ path, file }] : []
  })
  return { parts, missing: files.flatMap(({ path }) => (found.has(path) ? [] : [path])) }
}

function isAsListed(
  file: File | undefined,
  { size, modified }: Pick<Manifest['files'][number], 'size' | 'modified'>,
): boolean {
  return file?.size === size && file.lastModified === modified
}
