/**
 * Offers files again that a reload has taken from this page, where the browser can still read them (Chromium). Elsewhere
 * the person chooses them again. Knows of both whether they are still the same.
 */
import type { ItemId } from '../protocol/bindings'
import { reduceTransfers } from '../stores/transfers'
import type { FileHandles } from '../transport/file-handles'
import type { Context } from './context'
import { watchGone } from './transfer-news'

/** @param tells whether the person is told why a file cannot be offered */
type OfferAgain = (id: ItemId, file: File, tells: boolean) => Promise<void>

export class KeptFiles {
  readonly #stores: Context['stores']
  readonly #offer: OfferAgain
  readonly #load: () => Promise<FileHandles>
  /** Where the files lie that were picked or dropped here. */
  readonly #handles = new WeakMap<Blob, FileSystemFileHandle>()
  #kept: Promise<FileHandles> | null = null

  /** @param offer offers a file under its item if it is the same */
  constructor(stores: Context['stores'], offer: OfferAgain, load: () => Promise<FileHandles> = loadHandles) {
    this.#stores = stores
    this.#offer = offer
    this.#load = load
    watchGone(stores, (id, isForGood) => {
      if (isForGood) void this.#kept?.then((kept) => kept.forget(id))
    })
  }

  /** Notes where a file lies, before it is shared. */
  lies(file: File, handle: FileSystemFileHandle): void {
    this.#handles.set(file, handle)
    // The code is here by the time the file is shared, which a reload may follow at once.
    void this.#open()
  }

  /** A file is shared under an item. */
  shared(id: ItemId, file: Blob): void {
    void this.#open().then((kept) => kept.keep(id, file, this.#handles.get(file)))
  }

  /** Whether a file is the one that was shared under an item, as far as is known here. */
  async isSame(id: ItemId, file: Blob): Promise<boolean> {
    return (await this.#open()).isSame(id, file)
  }

  /** Offers what a reload has taken, or says that the person can allow it with a press. */
  async lost(ids: readonly ItemId[]): Promise<void> {
    const kept = await this.#open()
    for (const id of ids) {
      const found = await kept.find(id)
      if (!found || !this.#isLost(id)) continue
      if (found.is === 'readable') await this.#offer(id, found.file, false)
      else this.#say(id, true)
    }
  }

  /** Asks the browser for a file, while a press is handled. One answer may be about the others too. */
  async ask(id: ItemId): Promise<void> {
    const kept = await this.#open()
    const file = await kept.ask(id)
    if (!this.#isLost(id)) return
    if (file) await this.#offer(id, file, true)
    // It must be chosen again.
    if (this.#isLost(id)) this.#say(id, false)
    const all = Object.entries(this.#stores.transfers.getState().transfers)
    const others = all.flatMap(([other, { role }]) =>
      role === 'lost' && other !== id ? [other as ItemId] : [],
    )
    await this.lost(others)
  }

  #isLost(id: ItemId): boolean {
    return this.#stores.transfers.getState().transfers[id]?.role === 'lost'
  }

  #say(id: ItemId, asks: boolean): void {
    this.#stores.transfers.setState((state) => reduceTransfers(state, { type: 'lost', id, asks }), true)
  }

  #open(): Promise<FileHandles> {
    this.#kept ??= this.#load()
    return this.#kept
  }
}

async function loadHandles(): Promise<FileHandles> {
  const { FileHandles } = await import('../transport/file-handles')
  const kept = new FileHandles()
  void kept.sweep()
  return kept
}
