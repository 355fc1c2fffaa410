/**
 * Opens what comes of items: the items themselves, and deletions with their proofs (E3, E4). Where somebody without
 * the keys has changed an item on the server, what is known here goes on counting.
 */
import type { ItemId, LiveItem } from '../protocol/bindings'
import { type Item, liveItem, type NoteMark } from '../protocol/item'
import {
  isEnvelope,
  keptKeysIn,
  partEnvelope,
  readSealedDeletion,
  readSealedItem,
  type SealedContent,
  withoutGoneCopy,
} from '../protocol/sealed-item'
import type { LiveBeam } from '../transport/live-beam'
import type { BeamKeys } from './beam-keys'
import type { ClearCopies } from './clear-copies'
import { DeletionWitnesses, type WitnessEvents } from './deletion-witnesses'
import { EarlyProofs, KEY_COMES_WITHIN_MS } from './early-proofs'
import { InTurn } from './in-turn'
import type { ItemVersions, Version } from './item-versions'
import type { Opener } from './opening-stage'
import { type Lacking, SharingAgain } from './sharing-again'

/** What is not opened, because nobody has let this device in. */
const CLOSED = Symbol('closed')

export interface OpenedItemsEvents extends Pick<WitnessEvents, 'tell'> {
  /** The server has given or deleted something. */
  onChange(): void
  /** The items that this device is deleting. */
  deletions(): readonly ItemId[]
}

export class OpenedItems implements Pick<Opener, 'open' | 'isDeleted'> {
  readonly witnesses: DeletionWitnesses
  readonly #keys: BeamKeys
  readonly #live: () => LiveBeam
  readonly #copies: ClearCopies
  readonly #versions: ItemVersions
  readonly #events: OpenedItemsEvents
  readonly #again: SharingAgain
  readonly #early = new EarlyProofs((id, proof) => void this.#checksAgain(id, proof))
  /** Whether something was left closed, because nobody let this device in. */
  #hasLeftClosed = false
  /** Versions and deletions of an item are opened at once, and count in the order in which they came. */
  readonly #came = new InTurn<ItemId>()

  constructor(
    keys: BeamKeys,
    live: () => LiveBeam,
    copies: ClearCopies,
    versions: ItemVersions,
    events: OpenedItemsEvents,
  ) {
    this.#keys = keys
    this.#live = live
    this.#copies = copies
    this.#versions = versions
    this.#events = events
    this.witnesses = new DeletionWitnesses({
      others: () => (keys.isSealed ? keys.others : []),
      tell: (to, message) => events.tell(to, message),
      isDeleted: (id) => versions.isDeleted(id),
    })
    this.#again = new SharingAgain({
      sealing: () => keys.sealing,
      me: () => keys.me,
      lacking: (id) => this.#lacking(id),
      share: ({ id, message }) => live().share(id, message, 'text'),
    })
  }

  /** This device has been let in. Returns whether something was left closed until then. */
  takeLeftClosed(): boolean {
    const wasLeftClosed = this.#hasLeftClosed
    this.#hasLeftClosed = false
    return wasLeftClosed
  }

  /** Opens an item. @throws when it cannot be opened */
  open(item: LiveItem, note: NoteMark): Item | null | Promise<Item | null> {
    this.#events.onChange()
    // The item that has the keys is never shown.
    if (keptKeysIn(item.message) !== null) return null
    if (isEnvelope(item.message)) return this.#open(item, item.message, note)
    // Whoever shares it again in clear text is no device of the beam.
    if (this.#versions.isSealed(item.id))
      return this.#came.run(item.id, Promise.resolve(), () => this.#openKnown(item, note))
    // This device shows the item itself.
    if (this.#copies.isCopy(item, (id) => this.#versions.isSealed(id))) return null
    this.#versions.sawClear(item.id)
    return { ...liveItem(item, note), isClear: true }
  }

  async isDeleted(message: unknown, extra: string | undefined, id: ItemId | undefined): Promise<boolean> {
    this.#events.onChange()
    if (id !== undefined) this.#keys.kept.deleted(id)
    if (id !== undefined && id === this.#keys.kept.item?.id) this.#again.look(id)
    // Deleting by content concerns plain items alone.
    const isOfSealed = id === undefined ? this.#versions.hasContent(message) : this.#versions.isSealed(id)
    if (!isEnvelope(message) && !isOfSealed) return true
    const isRight = await this.#isRight(extra, id)
    if (isRight !== null) this.#checked(isRight, message, id)
    // What the server still has shows whether it has taken the item from this device alone.
    if (!isRight) this.#live().resync()
    return isRight === true
  }

  /** The server has told of everything, as it is asked to when keys have come. */
  synced(): void {
    this.#early.look()
  }

  /** The beam was left. */
  end(): void {
    this.#early.end()
    this.witnesses.end()
    this.#again.end()
  }

  /** Returns the version of an item that counts here; undefined where none does, or it was deleted. */
  #known(id: ItemId): Version | undefined {
    const isDeleted = this.#versions.isDeleted(id) || this.#events.deletions().includes(id)
    return isDeleted ? undefined : this.#versions.find(id)
  }

  /** Nobody but the two whom an item for one device concerns can delete it (S33). */
  #lacking(id: ItemId): Lacking | undefined {
    const kept = this.#keys.kept.item
    if (kept?.id === id) return this.#live().memory.isGiven(id, kept.message) ? undefined : kept
    const known = this.#known(id)
    if (!known || known.content.to !== undefined) return undefined
    const { sealed, content } = known
    if (this.#live().memory.isGiven(id, sealed)) return undefined
    return { id, message: sealed, from: content.from }
  }

  /**
   * Resolves to null where the worker does not answer, or the key of the proof may come yet. The item stays then, and is not shared again
   * either: the deletion may be right.
   */
  async #isRight(proof: string | undefined, id: ItemId | undefined): Promise<boolean | null> {
    try {
      return id !== undefined && (await this.#isProven(proof, id))
    } catch {
      return null
    }
  }

  #checked(isRight: boolean, message: unknown, id: ItemId | undefined): void {
    if (isRight && id !== undefined) this.#copies.delete(id)
    const named = id === undefined ? this.#versions.sealedAs(message) : [id]
    for (const one of named) this.#again.look(one)
    // Where nothing that counts is known here, there is nothing to keep.
    if (!named.some((one) => this.#known(one))) this.#live().memory.confirmed(id, message)
  }

  /** A deletion is checked that was proved under a key which was not here. */
  async #checksAgain(id: ItemId, proof: string): Promise<void> {
    // It may have been shared again since, as by an Undo.
    if (!this.#live().memory.doubted.some((item) => item.id === id)) return this.#early.checked(id)
    const isRight = await this.#isRight(proof, id)
    if (isRight === null) return
    this.#early.checked(id)
    this.#checked(isRight, null, id)
    // What is lacking then is no longer shown.
    if (isRight) this.#live().resync()
  }

  #isProven(proof: string | undefined, id: ItemId): Promise<boolean | null> {
    if (proof === undefined)
      return this.#came.run(id, this.#isWitnessed(id), (isDeleted) => {
        if (isDeleted) this.#versions.deleted(id)
        return isDeleted
      })
    return this.#came.run(
      id,
      this.#isProof(proof, id),
      (isRight) => isRight && this.#versions.proves(id, proof),
    )
  }

  async #isProof(proof: string, id: ItemId): Promise<boolean | null> {
    if (await this.#isLeftClosed()) return false
    const opened = await this.#keys.texts.open('delete_note', proof)
    if (opened.is === 'unknown') {
      this.#keys.texts.seek('delete_note', proof)
      // Where nothing that counts is known here, nothing would be undone.
      return this.#known(id) && this.#early.mayOpen(id, proof) ? null : false
    }
    // It may be of a device that was away when the keys were changed: that one says so, or another that knows it.
    if (opened.is === 'past') return this.witnesses.confirm(id)
    return opened.is === 'open' && readSealedDeletion(opened.text) === id
  }

  /** The server deletes too, as after a restart (S28), when it has lost the proofs that devices had. */
  async #isWitnessed(id: ItemId): Promise<boolean> {
    if (await this.#isLeftClosed()) return false
    return this.witnesses.confirm(id)
  }

  /** Whether nobody has let this device in for a while: what is sealed must not keep everything else waiting, and comes again. */
  async #isLeftClosed(): Promise<boolean> {
    const isClosed = !(await this.#keys.untilAnswered())
    this.#hasLeftClosed ||= isClosed
    return isClosed
  }

  async #open(item: LiveItem, sealed: string, note: NoteMark): Promise<Item | null> {
    this.#versions.sawSealed(item.id)
    this.#keys.sawEnvelope(sealed)
    const { envelope, copy } = partEnvelope(sealed)
    const shown = await this.#came.run(item.id, this.#inside(item, envelope), (inside) =>
      inside === CLOSED ? inside : inside && this.#versions.came(sealed, inside),
    )
    if (shown === CLOSED) return null
    if (!shown) return this.#openKnown(item, note, KEY_COMES_WITHIN_MS)
    // An older version may have been put back.
    if (this.#versions.find(item.id)?.sealed !== sealed) this.#again.look(item.id)
    return itemOf(item, shown, copy, note)
  }

  /** What is no version of an item takes nothing away that is known here (E3). @throws where nothing is */
  #openKnown(item: LiveItem, note: NoteMark, afterMs = 0): Item {
    const known = this.#known(item.id)
    if (!known || known.content.to !== item.to) throw new Error('The item does not open.')
    this.#again.look(item.id, afterMs)
    return itemOf(item, known.content, partEnvelope(known.sealed).copy, note)
  }

  /** Returns what is inside the envelope of an item; null where it does not open, or is not that item. */
  async #inside({ id, to }: LiveItem, envelope: string): Promise<SealedContent | typeof CLOSED | null> {
    if (await this.#isLeftClosed()) return CLOSED
    // What does not open yet comes again once its key is here. To wait for that would keep everything else waiting.
    const opened = await this.#keys.texts.openOrSeek('share_clipboard', envelope)
    const inside = opened.is === 'open' ? readSealedItem(opened.text) : null
    return inside?.id === id && inside.to === to ? inside : null
  }
}

/** Returns an item as it is shown. Who shared it is no matter of the server's. */
function itemOf(item: LiveItem, inside: SealedContent, copy: string | null, note: NoteMark): Item {
  const { extra, from } = inside
  const shown = liveItem({ ...item, message: withoutGoneCopy(inside.message, copy), extra, from }, note)
  // The bytes of a file that was shared while the beam was clear travel as they are.
  const isOpenFile = shown.content.kind === 'file' && shown.content.seal === undefined
  return isOpenFile || inside.wasClear ? { ...shown, isClear: true } : shown
}
