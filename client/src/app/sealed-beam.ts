/**
 * Seals what goes out to a beam and opens what comes in, once it is known that the beam is sealed (E1). What this device
 * shares before it has been let in waits. Its keys: `app/beam-keys`.
 */
import type { BeamId, Device, DeviceId, ItemId, LiveItem, Note } from '../protocol/bindings'
import { readWitness } from '../protocol/deletion-witness'
import { addressee, type Item, liveItem, type NoteMark } from '../protocol/item'
import { readComparison } from '../protocol/item-comparison'
import { noteItem } from '../protocol/note'
import {
  isEnvelope,
  keptKeysIn,
  partEnvelope,
  readSealedDeletion,
  readSealedItem,
  readSealedSignal,
  type SealedContent,
  withCopy,
  withoutGoneCopy,
} from '../protocol/sealed-item'
import type { BeamSession } from '../stores/beam-session'
import { seals } from '../stores/devices'
import type { LiveBeam } from '../transport/live-beam'
import type { SecretsDoor } from '../transport/secrets-door'
import { type BeamChannel, ClearChannel } from './beam-channel'
import { BeamKeys, type BeamKeysEvents } from './beam-keys'
import type { ClearCopies } from './clear-copies'
import { DeletionWitnesses } from './deletion-witnesses'
import { InOrder } from './in-order'
import { InTurn } from './in-turn'
import { ItemVersions, type Version } from './item-versions'
import { MissingItems, type MissingItemsEvents } from './missing-items'
import { type Lacking, SharingAgain } from './sharing-again'
import { pause } from './until-told'
import { WaitingShares } from './waiting-shares'
import type { WaysIn } from './ways-in'

/** So long the key of what does not open may take to come, before it counts as sealed by nobody. In milliseconds. */
const KEY_COMES_WITHIN_MS = 30_000

/** What is not opened, because nobody has let this device in. */
const CLOSED = Symbol('closed')

export interface SealedBeamEvents extends BeamKeysEvents, Pick<MissingItemsEvents, 'onMissing'> {
  /** Something could not be opened as long as nobody let this device in, and can be now. */
  onOpenable(): void
}

export class SealedBeam implements BeamChannel {
  readonly #keys: BeamKeys
  readonly #live: () => LiveBeam
  /** What everything passes through as long as the beam is not sealed. */
  readonly #clear: ClearChannel
  readonly #copies: ClearCopies
  readonly #missing: MissingItems
  readonly #witnesses: DeletionWitnesses
  readonly #again: SharingAgain
  readonly #versions = new ItemVersions()
  /** The items that are sealed, opened or not. */
  readonly #sealed = new Set<ItemId>()
  /** Items whose deletion is being sealed. */
  readonly #deleting = new Set<ItemId>()
  readonly #sharing = new WaitingShares()
  /** Whether something was left closed, because nobody let this device in. */
  #hasLeftClosed = false
  /** The highest number of a signal that came from each page. */
  readonly #heard = new Map<string, number>()
  /** Everything that goes out is sealed in its order, and everything that comes is opened in its own. */
  readonly #outgoing = new InOrder()
  readonly #incoming = new InOrder()
  /** Versions and deletions of an item are opened at once, and count in the order in which they came. */
  readonly #came = new InTurn<ItemId>()
  #hasEnded = false

  constructor(
    session: BeamSession,
    secrets: SecretsDoor,
    live: () => LiveBeam,
    copies: ClearCopies,
    events: SealedBeamEvents,
  ) {
    this.#live = live
    this.#clear = new ClearChannel(live)
    this.#copies = copies
    const content = {
      send: (step: () => Promise<() => unknown>) => this.#send(step),
      looked: (sealing: readonly DeviceId[], me: DeviceId | null) => this.#missing.listed(sealing, me),
      settled: () => {
        if (this.#hasLeftClosed) events.onOpenable()
        this.#hasLeftClosed = false
      },
      isSharing: () => this.#sharing.ids.length > 0,
      hasHeldBack: () => this.#sharing.hasHeldBack,
    }
    this.#keys = new BeamKeys(session, secrets, live, this.#incoming, content, events)
    this.#missing = new MissingItems({
      given: () => live().memory.given,
      isPast: (id, version) => this.#versions.isReplaced(version) || this.deletions.includes(id),
      tell: (to, message) => this.signal(to, message),
      sync: () => live().resync(),
      onMissing: events.onMissing,
    })
    this.#witnesses = new DeletionWitnesses({
      others: () => (this.#keys.isSealed ? this.#keys.others : []),
      tell: (to, message) => this.signal(to, message),
      isDeleted: (id) => this.#versions.isDeleted(id),
    })
    this.#again = new SharingAgain({
      sealing: () => this.#keys.sealing,
      me: () => this.#keys.me,
      lacking: (id) => this.#lacking(id),
      share: ({ id, message }) => live().share(id, message, 'text'),
    })
  }

  get ways(): WaysIn {
    return this.#keys.ways
  }

  get mayLink(): boolean {
    return this.#keys.isSettled
  }

  mayConnect(device: Device): boolean {
    return this.#keys.isClear || seals(device)
  }

  get deletions(): readonly ItemId[] {
    return [...this.#deleting, ...this.#live().deletions]
  }

  share(id: ItemId, message: unknown, extra: string, to?: DeviceId): void {
    this.#deleting.delete(id)
    if (this.#keys.isClear) {
      // An older version that still waits must not come behind this one.
      this.#sharing.takeBack(id)
      return this.#shareClear(id, message, extra, to)
    }
    const waiting = this.#sharing.add(id, this.#keys.isSealed)
    const share = (tell: () => void) => () => {
      if (!waiting.isWanted()) return
      waiting.goes()
      tell()
    }
    // Those that a person had chosen when this was shared, and not later while it waits.
    const takers = this.#copies.takers
    this.#send(async () => {
      if (!waiting.isWanted()) return () => {}
      if (
        this.#keys.isSealed &&
        to !== undefined &&
        takers.includes(to) &&
        this.#copies.takers.includes(to)
      ) {
        // An earlier version may have been sealed: this one is not made up by the server.
        this.#sealed.delete(id)
        this.#versions.forget(id)
        return share(() => this.#copies.send(id, message, extra, to))
      }
      if (!this.#keys.isSealed) return share(() => this.#shareClear(id, message, extra, to))
      const from = await this.#keys.own()
      const envelope = await this.#envelopeOf({ id, from, extra, message, ...addressee(to) })
      return share(() => {
        this.#live().share(id, envelope, 'text', to)
        if (to === undefined) this.#copies.share(id, message, extra, takers)
      })
    })
  }

  heldBack(id: ItemId): void {
    this.#sharing.heldBack(id)
  }

  /** A file may have been given its seal before it was known that the beam is clear. */
  #shareClear(id: ItemId, message: unknown, extra: string, to?: DeviceId): void {
    this.#sharing.told(id)
    this.#clear.share(id, this.#copies.unsealed(id, message), extra, to)
  }

  delete(id: ItemId, message: unknown): void {
    const waited = this.#sharing.takeBack(id)
    if (waited !== null) this.#keys.tookBack()
    // Its deletion would tell what it said. It stays deleted here, whatever is still done for it.
    if (waited === 'item') return void this.#deleting.add(id)
    this.#delete(id, waited === 'edit' ? this.#toldMessage(id) : message)
  }

  /** The message of an item as the server has given it. What is deleted by its id needs none. */
  #toldMessage(id: ItemId): unknown {
    return this.#live().memory.findAll([id])[0]?.message ?? ''
  }

  #delete(id: ItemId, message: unknown): void {
    if (this.#keys.isClear) return this.#clear.delete(id, message)
    this.#deleting.add(id)
    this.#missing.hear({ is: 'changed' })
    this.#send(async () => {
      const version = this.#versions.find(id)
      const proof =
        (version || this.#sealed.has(id)) && this.#keys.isSealed
          ? await this.#keys.texts.seal('delete_note', { id })
          : undefined
      return () => {
        // It may have been shared again meanwhile.
        if (!this.#deleting.delete(id)) return
        this.#live().delete(id, version?.sealed ?? message, proof)
        this.#versions.deleted(id)
        this.#copies.delete(id)
      }
    })
  }

  offersAgain(id: ItemId): void {
    this.#copies.offerAgain(id)
  }

  signal(to: DeviceId, message: unknown): void {
    if (this.#keys.isClear) return this.#clear.signal(to, message)
    this.#send(async () => {
      const sealed = this.#keys.isSealed
        ? await this.#keys.texts.seal('signal', { from: this.#keys.me, to, message })
        : message
      return () => this.#live().signal(to, sealed)
    })
  }

  signalled(from: DeviceId, message: unknown, handOn: (message: unknown) => void): void {
    if (this.#keys.isClear) return handOn(message)
    this.#incoming.run(async () => {
      const opened = this.#keys.isSealed && isEnvelope(message) ? await this.#openSignal(from, message) : null
      return () => opened && this.#signalled(from, opened.message, handOn)
    })
  }

  #signalled(from: DeviceId, message: unknown, handOn: (message: unknown) => void): void {
    const comparison = readComparison(message)
    if (comparison) return this.#missing.hear({ is: 'heard', from, message: comparison })
    const witness = readWitness(message)
    if (witness) return this.#witnesses.hear(from, witness)
    handOn(message)
  }

  heard(from: DeviceId, message: unknown): void {
    this.#keys.heard(from, message)
  }

  invited(invite: string): void {
    this.#keys.invited(invite)
  }

  welcomed(me: DeviceId): void {
    const isOther = this.#keys.me !== null && this.#keys.me !== me
    this.#keys.welcomed(me)
    this.#missing.hear({ is: 'connected' })
    if (isOther) this.#shareAsOther()
  }

  disconnected(): void {
    this.#keys.disconnected()
  }

  /** This device has another id now (S5), and what only it has must not come from the one that is gone. */
  #shareAsOther(): void {
    for (const shared of this.#live().shares) {
      const { id, message, extra, to } = this.#versions.find(shared)?.content ?? {}
      if (id !== undefined && extra !== undefined) this.share(id, message, extra, to)
    }
  }

  listed(devices: readonly Device[]): void {
    this.#keys.listed(devices)
  }

  renamed(): void {
    this.#keys.renamed()
  }

  synced(items: readonly LiveItem[], dropped = 0): void {
    this.#keys.synced(items)
    // One that was edited since comes behind the copy that this device has made of it.
    for (const { id, message } of items) if (isEnvelope(message)) this.#sealed.add(id)
    this.#missing.hear({ is: 'synced' })
    this.#syncCopies(items, dropped)
  }

  /** An item that the server has dropped or not been told of yet is not deleted. */
  #syncCopies(items: readonly LiveItem[], dropped: number): void {
    const { memory, shares } = this.#live()
    const there = new Set([...items.map(({ id }) => id), ...shares, ...this.#sharing.ids])
    this.#copies.synced(
      items,
      (id) => !there.has(id) && memory.isDeleted(id),
      (id) => !there.has(id) && !memory.knows(id) && dropped === 0,
    )
  }

  saved(isMine: boolean): Promise<void> {
    return this.#keys.saved(isMine)
  }

  keysChanged(): void {
    this.#keys.keysChanged()
  }

  kept(isKept: boolean, isMine: boolean): void {
    this.#keys.kept.turned(isKept, isMine)
  }

  removed(devices: readonly DeviceId[]): void {
    this.#keys.removed(devices)
  }

  rekey(): void {
    this.#keys.rekey()
  }

  move(beam: BeamId, isMine: boolean): void {
    this.#keys.move(beam, isMine)
  }

  /** What has the keys is opened at once: what came before may wait for them. */
  came(item: LiveItem): void {
    this.#sharing.told(item.id)
    const kept = keptKeysIn(item.message)
    if (kept !== null) this.#keys.kept.came(item, kept)
  }

  /** Opens an item. @throws when it cannot be opened */
  open(item: LiveItem, note: NoteMark): Item | null | Promise<Item | null> {
    this.#missing.hear({ is: 'changed' })
    // The item that has the keys is never shown.
    if (keptKeysIn(item.message) !== null) return null
    if (isEnvelope(item.message)) return this.#open(item, item.message, note)
    // Whoever shares it again in clear text is no device of the beam.
    if (this.#sealed.has(item.id))
      return this.#came.run(item.id, Promise.resolve(), () => this.#openKnown(item, note))
    // This device shows the item itself.
    if (this.#copies.isCopy(item, (id) => this.#sealed.has(id))) return null
    return { ...liveItem(item, note), isClear: true }
  }

  openNote(note: Note): Item | null | Promise<Item | null> {
    if (keptKeysIn(note.content) !== null) return null
    const item = noteItem(note)
    this.#sharing.told(item.id)
    if (!isEnvelope(item.message) || item.seq === null || item.from === null)
      return { ...item, isClear: true }
    const { id, seq, from, at, extra } = item
    return this.#open({ id, seq, from, at, extra, message: item.message }, item.message, item.note)
  }

  async isDeleted(message: unknown, extra: string | undefined, id: ItemId | undefined): Promise<boolean> {
    this.#missing.hear({ is: 'changed' })
    if (id !== undefined) this.#keys.kept.deleted(id)
    if (id !== undefined && id === this.#keys.kept.item?.id) this.#again.look(id)
    // Deleting by content concerns plain items alone.
    const isOfSealed = id === undefined ? this.#versions.hasContent(message) : this.#sealed.has(id)
    const isSealed = isEnvelope(message) || isOfSealed
    if (!isSealed) return true
    const isRight = id !== undefined && (await this.#isProven(extra, id))
    if (isRight) this.#copies.delete(id)
    const named = id === undefined ? this.#versions.sealedAs(message) : [id]
    for (const one of named) this.#again.look(one)
    // Where nothing that counts is known here, there is nothing to keep.
    if (!named.some((one) => this.#known(one))) this.#live().memory.confirmed(id, message)
    // What the server still has shows whether it has taken the item from this device alone.
    if (!isRight) this.#live().resync()
    return isRight
  }

  /** Returns the version of an item that counts here; undefined where none does, or it was deleted. */
  #known(id: ItemId): Version | undefined {
    const isDeleted = this.#versions.isDeleted(id) || this.deletions.includes(id)
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

  #isProven(proof: string | undefined, id: ItemId): Promise<boolean> {
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

  async #isProof(proof: string, id: ItemId): Promise<boolean> {
    if (await this.#isLeftClosed()) return false
    const opened = await this.#keys.texts.open('delete_note', proof)
    // It may be of a device that was away when the keys were changed: that one says so, or another that knows it.
    if (opened.is === 'past') return this.#witnesses.confirm(id)
    return opened.is === 'open' && readSealedDeletion(opened.text) === id
  }

  /** The server deletes too, as after a restart (S28), when it has lost the proofs that devices had. */
  async #isWitnessed(id: ItemId): Promise<boolean> {
    if (await this.#isLeftClosed()) return false
    return this.#witnesses.confirm(id)
  }

  shareClear(): void {
    this.#keys.shareClear()
  }

  lookForMissing(): void {
    this.#missing.hear({ is: 'retried' })
  }

  end(): void {
    this.#hasEnded = true
    this.#outgoing.end()
    this.#incoming.end()
    this.#keys.end()
    this.#missing.end()
    this.#witnesses.end()
    this.#again.end()
  }

  /** Whether nobody has let this device in for a while: what is sealed must not keep everything else waiting, and comes again. */
  async #isLeftClosed(): Promise<boolean> {
    const isClosed = !(await this.#keys.untilAnswered())
    this.#hasLeftClosed ||= isClosed
    return isClosed
  }

  async #open(item: LiveItem, sealed: string, note: NoteMark): Promise<Item | null> {
    this.#sealed.add(item.id)
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

  async #openSignal(from: DeviceId, envelope: string): Promise<{ message: unknown } | null> {
    const opened = await this.#keys.texts.open('signal', envelope)
    // The device begins again once both have the same keys. Waiting here would keep the welcome waiting.
    if (opened.is === 'unknown') this.#keys.texts.seek('signal', envelope)
    const inside = opened.is === 'open' ? readSealedSignal(opened.text) : null
    if (opened.is !== 'open' || !inside || inside.from !== from || inside.to !== this.#keys.me) return null
    const { page, number } = opened.header
    if (number <= (this.#heard.get(page) ?? -1)) return null
    this.#heard.set(page, number)
    return inside
  }

  /** Returns the message of a content, the same one when it was sealed before. */
  async #envelopeOf(content: SealedContent): Promise<string> {
    const before = this.#versions.sealedBefore(content)
    if (before !== null) return before
    const sealed = withCopy(await this.#keys.texts.seal('share_clipboard', content), content.message)
    this.#sealed.add(content.id)
    this.#versions.went(sealed, content)
    return sealed
  }

  #send(seal: () => Promise<() => unknown>): void {
    this.#outgoing.run(async () => {
      for (;;) {
        await this.#keys.untilSettled()
        try {
          return await seal()
        } catch {
          // What a person shares is not lost with a worker.
          if (this.#hasEnded) return () => {}
          await pause()
        }
      }
    })
  }
}

/** Returns an item as it is shown. Who shared it is no matter of the server's. */
function itemOf(item: LiveItem, inside: SealedContent, copy: string | null, note: NoteMark): Item {
  const { extra, from } = inside
  const shown = liveItem({ ...item, message: withoutGoneCopy(inside.message, copy), extra, from }, note)
  // The bytes of a file that was shared while the beam was clear travel as they are.
  const isClear = shown.content.kind === 'file' && shown.content.seal === undefined
  return isClear ? { ...shown, isClear } : shown
}
