/**
 * Offers files again that a reload has taken from this page, where the browser can still read them (Chromium). Elsewhere
 * the person chooses them again. Knows of both whether they are still the same.
 */
import type { Chosen, Folder, Place } from '../features/actions'
import { readPlaced } from '../features/files/placed'
import type { ItemId } from '../protocol/bindings'
import { reduceTransfers } from '../stores/transfers'
import type { FileHandles } from '../transport/file-handles'
import { GLANCE_WITHIN_MS, within } from '../transport/within'
import { packedFrom } from './changed-files'
import type { Context } from './context'
import { learnPack } from './packs'
import { watchGone } from './transfer-news'
import { Turns } from './turns'

/** Files looked for at a time: of each, samples are read. */
const AT_ONCE = 4
/**
 * One that lies where nothing answers, such as on a disk that sleeps, has a turn of so many milliseconds. It is offered when it comes
 * after that.
 */
export const TURN_WITHIN_MS = 3_000

/** @param tells whether the person is told why it cannot be offered */
type OfferAgain = (id: ItemId, found: Chosen, tells: boolean) => Promise<void>

type Handles = FileHandles<Place>

export class KeptFiles {
  readonly #stores: Context['stores']
  readonly #offer: OfferAgain
  readonly #load: () => Promise<Handles>
  /** Where the files and folders lie that were picked or dropped here. */
  readonly #handles = new WeakMap<Blob | Folder, Place>()
  readonly #turns = new Turns(AT_ONCE)
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
    await Promise.all(ids.map((id) => this.#findInTurn(kept, id)))
  }

  /** Resolves when the turn is over. A file that fails keeps no other from being found: it can be chosen again. */
  #findInTurn(kept: Handles, id: ItemId): Promise<void> {
    return new Promise((resolve) => {
      const leave = this.#turns.enter(() => {
        const over = () => {
          leave()
          resolve()
        }
        void within(TURN_WITHIN_MS, this.#find(kept, id)).then(over, over)
      })
    })
  }

  async #find(kept: Handles, id: ItemId): Promise<void> {
    const found = await kept.find(id)
    if (!found || !this.#isLost(id)) return
    if (found.is === 'readable') await this.#offer(id, await this.#read(found.handles), false)
    else this.#say(id, true)
  }

  /** Asks the browser for a file, while a press is handled. One answer may be about the others too. */
  async ask(id: ItemId): Promise<void> {
    const kept = await this.#open()
    const handles = await kept.ask(id)
    if (!this.#isLost(id)) return
    const all = Object.entries(this.#stores.transfers.getState().transfers)
    const others = all.flatMap(([other, { role }]) =>
      role === 'lost' && other !== id ? [other as ItemId] : [],
    )
    await Promise.all([this.#offerAllowed(id, handles), this.lost(others)])
  }

  /** Offers a file that its person has allowed this page to read. One that does not come, or cannot be read, must be chosen again. */
  async #offerAllowed(id: ItemId, handles: readonly Place[] | null): Promise<void> {
    const offered = handles && this.#read(handles).then((found) => this.#offer(id, found, true))
    if (offered) await within(GLANCE_WITHIN_MS, offered).catch(() => {})
    if (this.#isLost(id)) this.#say(id, false)
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
