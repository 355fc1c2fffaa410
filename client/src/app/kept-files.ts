/**
 * Offers files again that a reload has taken from this page, where the browser can still read them (Chromium). Elsewhere
 * the person chooses them again. Knows of both whether they are still the same.
 */
import type { Chosen, Folder, Place } from '../features/actions'
import { readPlaced } from '../features/files/placed'
import type { ItemId } from '../protocol/bindings'
import { reduceTransfers } from '../stores/transfers'
import type { FileHandles } from '../transport/file-handles'
import { packedFrom } from './changed-files'
import type { Context } from './context'
import { learnPack } from './packs'
import { watchGone } from './transfer-news'

/** @param tells whether the person is told why it cannot be offered */
type OfferAgain = (id: ItemId, found: Chosen, tells: boolean) => Promise<void>

type Handles = FileHandles<Place>

export class KeptFiles {
  readonly #stores: Context['stores']
  readonly #offer: OfferAgain
  readonly #load: () => Promise<Handles>
  /** Where the files and folders lie that were picked or dropped here. */
  readonly #handles = new WeakMap<Blob | Folder, Place>()
  #kept: Promise<Handles> | null = null

  /** @param offer offers what was found under its item if it is the same */
  constructor(stores: Context['stores'], offer: OfferAgain, load: () => Promise<Handles> = loadHandles) {
    this.#stores = stores
    this.#offer = offer
    this.#load = load
    watchGone(stores, (id, isForGood) => {
      if (isForGood) void this.#kept?.then((kept) => kept.forget(id))
    })
  }

  /** Notes where a file or folder lies, before it is shared. */
  lies(what: File | Folder, handle: Place): void {
    this.#handles.set(what, handle)
    // The code is here by the time the file is shared, which a reload may follow at once.
    void this.#open()
  }

  /** A file is shared under an item. */
  shared(id: ItemId, file: Blob): void {
    const pack = packedFrom(file)
    const handles = (pack?.from ?? [file]).map((what) => this.#handles.get(what))
    // A part of them would be of no use.
    const known = handles.every((handle) => handle !== undefined) ? handles : []
    void this.#open().then((kept) => kept.keep(id, file, known, pack?.list))
  }

  /** Whether a file is the one that was shared under an item, as far as is known here. */
  async isSame(id: ItemId, file: Blob): Promise<boolean> {
    return (await this.#open()).isSame(id, file)
  }

  /** Returns the manifest of an item that is many files (F16); null where none is kept. */
  async listOf(id: ItemId): Promise<Uint8Array<ArrayBuffer> | null> {
    return (await this.#open()).listOf(id)
  }

  /** Offers what a reload has taken, or says that the person can allow it with a press. */
  async lost(ids: readonly ItemId[]): Promise<void> {
    const kept = await this.#open()
    for (const id of ids) await this.#learnList(id)
    for (const id of ids) {
      const found = await kept.find(id)
      if (!found || !this.#isLost(id)) continue
      if (found.is === 'readable') await this.#offer(id, await this.#read(found.handles), false)
      else this.#say(id, true)
    }
  }

  /** Asks the browser for a file, while a press is handled. One answer may be about the others too. */
  async ask(id: ItemId): Promise<void> {
    const kept = await this.#open()
    const handles = await kept.ask(id)
    if (!this.#isLost(id)) return
    if (handles) await this.#offer(id, await this.#read(handles), true)
    // It must be chosen again.
    if (this.#isLost(id)) this.#say(id, false)
    const all = Object.entries(this.#stores.transfers.getState().transfers)
    const others = all.flatMap(([other, { role }]) =>
      role === 'lost' && other !== id ? [other as ItemId] : [],
    )
    await this.lost(others)
  }

  /** What is found again lies where it lay, also for the page after this one. */
  async #read(places: readonly Place[]): Promise<Chosen> {
    const { files, folders, handles } = await readPlaced(places)
    for (const [what, handle] of handles) this.#handles.set(what, handle)
    return { files, folders }
  }

  /** The card of an item that is many files shows its list again, without which they cannot be chosen again. */
  async #learnList(id: ItemId): Promise<void> {
    const content = this.#stores.items.getState().items.find((item) => item.id === id)?.content
    const isUnknown = content?.kind === 'file' && content.manifest && !this.#stores.packs.getState().lists[id]
    const list = isUnknown && (await this.listOf(id))
    if (list) learnPack(this.#stores, id, list)
  }

  #isLost(id: ItemId): boolean {
    return this.#stores.transfers.getState().transfers[id]?.role === 'lost'
  }

  #say(id: ItemId, asks: boolean): void {
    this.#stores.transfers.setState((state) => reduceTransfers(state, { type: 'lost', id, asks }), true)
  }

  #open(): Promise<Handles> {
    this.#kept ??= this.#load()
    return this.#kept
  }
}

async function loadHandles(): Promise<Handles> {
  const { FileHandles } = await import('../transport/file-handles')
  const kept = new FileHandles<Place>()
  void kept.sweep()
  return kept
}
