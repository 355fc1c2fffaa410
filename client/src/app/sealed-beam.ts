/**
 * Seals what goes out to a beam and opens what comes in, once it is known that the beam is sealed (E1). What this device
 * shares before it has been let in waits.
 */
import type { BeamId, Device, DeviceId, ItemId, LiveItem, Note } from '../protocol/bindings'
import { readWitness } from '../protocol/deletion-witness'
import { addressee, type Item, liveItem, type NoteMark } from '../protocol/item'
import { readComparison } from '../protocol/item-comparison'
import { noteItem } from '../protocol/note'
import {
  isEnvelope,
  keptKeysIn,
  keptKeysMessage,
  partEnvelope,
  readSealedDeletion,
  readSealedItem,
  readSealedSignal,
  type SealedContent,
  withCopy,
  withoutGoneCopy,
} from '../protocol/sealed-item'
import { readWayIn } from '../protocol/ways-in'
import type { BeamSession } from '../stores/beam-session'
import { seals } from '../stores/devices'
import type { Encryption } from '../stores/encryption'
import { Gate } from '../transport/gate'
import type { LiveBeam } from '../transport/live-beam'
import type { Having } from '../transport/secrets'
import type { SecretsDoor } from '../transport/secrets-door'
import { type BeamChannel, ClearChannel } from './beam-channel'
import type { ClearCopies } from './clear-copies'
import { DeletionWitnesses } from './deletion-witnesses'
import { InOrder } from './in-order'
import { ItemVersions } from './item-versions'
import { KeyChanges } from './key-changes'
import { MissingItems, type MissingItemsEvents } from './missing-items'
import { newItemId } from './random-ids'
import { SealedTexts } from './sealed-texts'
import { WaysIn, type WaysInEvents } from './ways-in'

export interface SealedBeamEvents
  extends Pick<WaysInEvents, 'onTrust' | 'onIn' | 'asksBefore'>,
    Pick<MissingItemsEvents, 'onMissing'> {
  onChange(encryption: Encryption): void
  /** The beam is sealed, which a later page must not forget, and perhaps the secret that its link carries is known. */
  onLearnt(learnt: Pick<BeamSession, 'invite' | 'isSealed'>): void
  /** This device has been let in. */
  onKeyed(): void
  /** The devices that were removed, which have no key of now. */
  onRemoved(devices: readonly DeviceId[]): void
  /** Whether this device may remove others (S25). */
  mayRemove(): boolean
}

/** So long another device has to change the keys when it has removed one, before this one does. In milliseconds. */
const CHANGED_WITHIN_MS = 10_000

export class SealedBeam implements BeamChannel {
  readonly #secrets: SecretsDoor
  readonly #texts: SealedTexts
  readonly #live: () => LiveBeam
  /** What everything passes through as long as the beam is not sealed. */
  readonly #clear: ClearChannel
  readonly #events: SealedBeamEvents
  readonly #copies: ClearCopies
  readonly ways: WaysIn
  readonly #missing: MissingItems
  readonly #witnesses: DeletionWitnesses
  readonly #changes: KeyChanges
  #beam: BeamId
  #me: DeviceId | null = null
  #encryption: Encryption = { kind: 'unknown' }
  /** Resolves once it has been looked up what this device has. */
  readonly #entered: Promise<void>
  /** What this device has; null until it has been looked up. */
  #having: Having | null = null
  /** The devices that seal and are here, in the order in which they joined. */
  #sealing: readonly DeviceId[] = []
  #isListed = false
  /** The item that has the keys of the beam while it is kept (E10). */
  #keptKeys: Pick<LiveItem, 'id' | 'message'> | null = null
  /** Whether the server stores the beam, and whether this device has looked there for its keys. */
  #isSaved = false
  #isWithdrawn = false
  readonly #versions = new ItemVersions()
  /** The items that are sealed, opened or not. */
  readonly #sealed = new Set<ItemId>()
  /** Items whose deletion is being sealed. */
  readonly #deleting = new Set<ItemId>()
  /** The highest number of a signal that came from each page. */
  readonly #heard = new Map<string, number>()
  /** Opens with the id of this device. */
  readonly #named = new Gate()
  /** Opens once it is known whether to seal, and this device can. */
  readonly #settled = new Gate()
  /** Whether this page or an earlier one knows that the beam is sealed. */
  #isSealedHere: boolean
  /** Whether nothing that is sealed is in the beam; null before the server has told. */
  #isEmpty: boolean | null = null
  /** Everything that goes out is sealed in its order, and everything that comes is opened in its own. */
  readonly #outgoing = new InOrder()
  readonly #incoming = new InOrder()
  #hasEnded = false

  constructor(
    session: BeamSession,
    secrets: SecretsDoor,
    live: () => LiveBeam,
    copies: ClearCopies,
    events: SealedBeamEvents,
  ) {
    this.#beam = session.beamId
    this.#secrets = secrets
    this.#live = live
    this.#clear = new ClearChannel(live)
    this.#events = events
    this.#copies = copies
    this.ways = new WaysIn(secrets, () => this.#beam, {
      send: (to, way) => !this.#hasEnded && live().e2e(to, way),
      onHaving: (having) => {
        this.#has(having)
        this.#knowsMore()
      },
      onTrust: events.onTrust,
      onIn: events.onIn,
      onRefused: () => this.#look(),
      asksBefore: events.asksBefore,
      now: () => Date.now(),
    })
    this.#changes = new KeyChanges(secrets, () => this.#beam, {
      send: (to, way) => !this.#hasEnded && live().e2e(to, way),
      onHanded: (having) => this.#handed(having),
    })
    this.#texts = new SealedTexts(secrets, {
      beam: () => this.#beam,
      invite: () => this.#having?.invite ?? null,
      ways: [() => this.#incoming.done, () => this.#withdraw(), () => this.#learn()],
    })
    this.#missing = new MissingItems({
      given: () => live().memory.given,
      isPast: (id, version) => this.#versions.isReplaced(version) || this.deletions.includes(id),
      tell: (to, message) => this.signal(to, message),
      sync: () => live().resync(),
      onMissing: events.onMissing,
    })
    this.#witnesses = new DeletionWitnesses({
      others: () => (this.#isSealed ? this.#others : []),
      tell: (to, message) => this.signal(to, message),
      isDeleted: (id) => this.#versions.isDeleted(id),
    })
    events.onChange(this.#encryption)
    this.#isSealedHere = session.isSealed ?? false
    this.#entered = this.#enter(session.invite ?? null)
  }

  get mayLink(): boolean {
    return this.#encryption.kind === 'clear' || this.#encryption.kind === 'sealed'
  }

  get #others(): readonly DeviceId[] {
    return this.#sealing.filter((device) => device !== this.#me)
  }

  mayConnect(device: Device): boolean {
    return this.#isClear || seals(device)
  }

  get #isClear(): boolean {
    return this.#encryption.kind === 'clear'
  }

  get #isSealed(): boolean {
    return this.#encryption.kind === 'sealed'
  }

  get deletions(): readonly ItemId[] {
    return [...this.#deleting, ...this.#live().deletions]
  }

  share(id: ItemId, message: unknown, extra: string, to?: DeviceId): void {
    if (this.#isClear) return this.#clear.share(id, message, extra, to)
    this.#deleting.delete(id)
    // Those that a person had chosen when this was shared, and not later while it waits.
    const takers = this.#copies.takers
    this.#send(async () => {
      if (this.#isSealed && to !== undefined && takers.includes(to) && this.#copies.takers.includes(to)) {
        // An earlier version may have been sealed: this one is not made up by the server.
        this.#sealed.delete(id)
        this.#versions.forget(id)
        return () => this.#copies.send(id, message, extra, to)
      }
      const envelope = this.#isSealed
        ? await this.#envelopeOf({ id, from: await this.#own(), extra, message, ...addressee(to) })
        : null
      return () => {
        this.#live().share(id, envelope ?? message, envelope === null ? extra : 'text', to)
        if (envelope !== null && to === undefined) this.#copies.share(id, message, extra, takers)
      }
    })
  }

  delete(id: ItemId, message: unknown): void {
    if (this.#isClear) return this.#clear.delete(id, message)
    this.#deleting.add(id)
    this.#missing.hear({ is: 'changed' })
    this.#send(async () => {
      const version = this.#versions.find(id)
      const proof = version && this.#isSealed ? await this.#texts.seal('delete_note', { id }) : undefined
      return () => {
        // It may have been shared again meanwhile.
        if (!this.#deleting.delete(id)) return
        this.#live().delete(id, version?.sealed ?? message, proof)
        this.#versions.deleted(id)
        this.#copies.delete(id)
      }
    })
  }

  signal(to: DeviceId, message: unknown): void {
    if (this.#isClear) return this.#clear.signal(to, message)
    this.#send(async () => {
      const sealed = this.#isSealed
        ? await this.#texts.seal('signal', { from: this.#me, to, message })
        : message
      return () => this.#live().signal(to, sealed)
    })
  }

  signalled(from: DeviceId, message: unknown, handOn: (message: unknown) => void): void {
    if (this.#isClear) return handOn(message)
    this.#incoming.run(async () => {
      const opened = this.#isSealed && isEnvelope(message) ? await this.#openSignal(from, message) : null
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
    const way = readWayIn(message)
    if (!way) return
    this.#incoming.run(async () => {
      await this.#entered
      if (way.op === 'device') return this.#changes.introduced(from, way)
      if (way.op === 'keys') return this.#changes.handed(from, way)
      return this.ways.heard(from, way)
    })
  }

  welcomed(me: DeviceId): void {
    const isOther = this.#me !== null && this.#me !== me
    this.#me = me
    this.#named.open()
    this.ways.welcomed(me)
    this.#changes.welcomed(me)
    this.#missing.hear({ is: 'connected' })
    if (isOther) this.#shareAsOther()
  }

  /** This device has another id now (S5), and what only it has must not come from the one that is gone. */
  #shareAsOther(): void {
    for (const shared of this.#live().shares) {
      const { id, message, extra, to } = this.#versions.find(shared)?.content ?? {}
      if (id !== undefined && extra !== undefined) this.share(id, message, extra, to)
    }
  }

  listed(devices: readonly Device[]): void {
    this.#sealing = devices.filter(seals).map(({ device_id }) => device_id)
    this.#isListed = true
    this.#changes.listed(
      devices.map(({ device_id }) => device_id),
      this.#others,
    )
    this.#look()
  }

  synced(items: readonly LiveItem[]): void {
    this.#isEmpty = !items.some(({ message }) => isEnvelope(message) || keptKeysIn(message) !== null)
    this.#isSealedHere ||= !this.#isEmpty
    this.#look()
    this.#missing.hear({ is: 'synced' })
  }

  /** Opens an item. @throws when it cannot be opened */
  open(item: LiveItem, note: NoteMark): Item | null | Promise<Item | null> {
    this.#missing.hear({ is: 'changed' })
    const kept = keptKeysIn(item.message)
    if (kept !== null) return this.#openKept(item, kept)
    if (isEnvelope(item.message)) return this.#open(item, item.message, note)
    // Whoever shares it again in clear text is no device of the beam.
    if (this.#sealed.has(item.id)) throw new Error('The item was sealed.')
    // This device shows the item itself.
    if (this.#copies.isCopy(item, (id) => this.#sealed.has(id))) return null
    return { ...liveItem(item, note), isClear: true }
  }

  openNote(note: Note): Item | null | Promise<Item | null> {
    if (keptKeysIn(note.content) !== null) return null
    const item = noteItem(note)
    if (!isEnvelope(item.message) || item.seq === null || item.from === null)
      return { ...item, isClear: true }
    const { id, seq, from, at, extra } = item
    return this.#open({ id, seq, from, at, extra, message: item.message }, item.message, item.note)
  }

  async isDeleted(message: unknown, extra: string | undefined, id: ItemId | undefined): Promise<boolean> {
    this.#missing.hear({ is: 'changed' })
    if (id !== undefined && id === this.#keptKeys?.id) this.#keptKeys = null
    // Deleting by content concerns plain items alone.
    const isOfSealed = id === undefined ? this.#versions.hasContent(message) : this.#versions.find(id)
    const isSealed = isEnvelope(message) || isOfSealed
    if (!isSealed) return true
    const isRight = id !== undefined && (await this.#isProven(extra, id))
    // What the server still has shows whether it has taken the item from this device alone.
    if (!isRight) this.#live().resync()
    if (isRight) this.#copies.delete(id)
    return isRight
  }

  async #isProven(extra: string | undefined, id: ItemId): Promise<boolean> {
    await this.#untilSettled()
    if (extra === undefined) return this.#isWitnessed(id)
    const opened = await this.#texts.open('delete_note', extra)
    const isRight = opened.is === 'open' && readSealedDeletion(opened.text) === id
    return isRight && this.#versions.proves(id, extra)
  }

  /** The server deletes too, as after a restart (S28), when it has lost the proofs that devices had. */
  async #isWitnessed(id: ItemId): Promise<boolean> {
    const isDeleted = await this.#witnesses.confirm(id)
    if (isDeleted) this.#versions.deleted(id)
    return isDeleted
  }

  saved(isMine: boolean): void {
    this.#isSaved = true
    void this.#stored(isMine).catch(() => {})
  }

  /** Not in the order of what comes: an answer of the server that is late must not keep the signals waiting. */
  async #stored(isMine: boolean): Promise<void> {
    await this.#entered
    let having = await this.#secrets.stored(this.#beam, isMine)
    // Others may have changed them while this device was away.
    if (!this.#isSealed || having.deposits) having = await this.#secrets.withdraw(this.#beam)
    if (this.#isSealed) await this.#deposit(having)
    this.#isWithdrawn = true
    this.#has(having)
  }

  /** Only where a person has saved it here, or the keys came from there: else the server could have them by saying so. */
  async #deposit({ deposits }: Having): Promise<void> {
    if (this.#isSaved && deposits) await this.#secrets.deposit(this.#beam).catch(() => {})
  }

  kept(isKept: boolean, isMine: boolean): void {
    if (!isMine) return
    this.#send(async () => {
      const sealed =
        isKept && this.#isSealed && !this.#keptKeys ? await this.#secrets.sealKept(this.#beam) : null
      return () => {
        if (sealed !== null) this.#live().share(newItemId(), keptKeysMessage(sealed), 'text')
        if (isKept || !this.#keptKeys) return
        this.#live().delete(this.#keptKeys.id, this.#keptKeys.message)
        this.#keptKeys = null
      }
    })
  }

  lookForMissing(): void {
    this.#missing.hear({ is: 'retried' })
  }

  removed(devices: readonly DeviceId[]): void {
    if (this.#isClear || !this.#events.mayRemove()) return
    const change = () =>
      this.#change(() => this.#texts.withKeys(() => this.#secrets.removed(this.#beam, devices)))
    if (this.#live().hasRemoved(devices)) change()
    // The device that has removed it may have been closed before it could change the keys.
    else setTimeout(change, CHANGED_WITHIN_MS)
  }

  rekey(): void {
    if (this.#isClear) return
    this.#change(() => this.#texts.withKeys(() => this.#secrets.rekey(this.#beam, [])))
  }

  move(beam: BeamId, isMine: boolean): void {
    const before = this.#beam
    this.#beam = beam
    const moved = this.#secrets.moved(before, beam, isMine)
    if (isMine) this.#change(() => moved.catch(() => null))
    else void moved.then((having) => this.#has(having)).catch(() => {})
  }

  /** Changes the keys, in the order of what goes out: what is sealed with the new ones comes to devices that have them already. */
  #change(make: () => Promise<Having | null>): void {
    // A step that fails is tried again, and must not change them twice.
    let made: Having | null = null
    this.#send(async () => {
      made ??= await make()
      const having = made
      if (!having?.isKeyed) return () => {}
      const forAll = await this.#changes.forAll()
      const kept = this.#keptKeys && (await this.#secrets.sealKept(this.#beam))
      return () => {
        this.#changes.hand(forAll)
        if (this.#keptKeys && kept) this.#live().share(this.#keptKeys.id, keptKeysMessage(kept), 'text')
        this.#changed(having)
      }
    })
  }

  #changed(having: Having): void {
    this.#has(having)
    void this.#deposit(having)
    this.#changes.again()
  }

  /** Another device has handed over keys, which may be newer. */
  #handed(having: Having): void {
    this.ways.hasLearnt()
    const isNewer = having.invite !== this.#having?.invite
    if (isNewer) this.#changed(having)
    else this.#has(having)
    this.#knowsMore()
  }

  end(): void {
    this.#hasEnded = true
    this.#outgoing.end()
    this.#incoming.end()
    this.ways.end()
    this.#missing.end()
    this.#witnesses.end()
  }

  async #open(item: LiveItem, sealed: string, note: NoteMark): Promise<Item> {
    this.#sealed.add(item.id)
    if (this.#encryption.kind === 'unknown' || this.#encryption.kind === 'clear') {
      this.#isSealedHere = true
      this.#look()
    }
    await this.#untilSettled()
    const { envelope, copy } = partEnvelope(sealed)
    const opened = await this.#texts.openByAnyKey('share_clipboard', envelope)
    const inside = opened.is === 'open' ? readSealedItem(opened.text) : null
    if (!inside || inside.id !== item.id || inside.to !== item.to) throw new Error('The item does not open.')
    const shown = this.#versions.came(sealed, inside)
    const message = withoutGoneCopy(shown.message, copy)
    // Who shared it is no matter of the server's.
    return liveItem({ ...item, message, extra: shown.extra, from: shown.from }, note)
  }

  /** Takes the keys of a kept beam where this device has none. The item itself is never shown. */
  async #openKept({ id, message }: LiveItem, sealed: string): Promise<null> {
    this.#keptKeys = { id, message }
    await this.#entered
    if (!this.#isSealed) this.#has(await this.#secrets.openKept(this.#beam, sealed))
    return null
  }

  async #openSignal(from: DeviceId, envelope: string): Promise<{ message: unknown } | null> {
    const opened = await this.#texts.open('signal', envelope)
    // The device begins again once both have the same keys. Waiting here would keep the welcome waiting.
    if (opened.is === 'unknown') void this.#texts.openByAnyKey('signal', envelope)
    const inside = opened.is === 'open' ? readSealedSignal(opened.text) : null
    if (opened.is !== 'open' || !inside || inside.from !== from || inside.to !== this.#me) return null
    const { page, number } = opened.header
    if (number <= (this.#heard.get(page) ?? -1)) return null
    this.#heard.set(page, number)
    return inside
  }

  async #own(): Promise<DeviceId> {
    while (this.#me === null) await this.#named.wait()
    return this.#me
  }

  /** Returns the message of a content, the same one when it was sealed before. */
  async #envelopeOf(content: SealedContent): Promise<string> {
    const before = this.#versions.sealedBefore(content)
    if (before !== null) return before
    const sealed = withCopy(await this.#texts.seal('share_clipboard', content), content.message)
    this.#sealed.add(content.id)
    this.#versions.went(sealed, content)
    return sealed
  }

  #has(having: Having): void {
    if (this.#hasEnded) return
    this.#having = having
    if (having.isKeyed || having.invite !== null) this.#isSealedHere = true
    this.#events.onRemoved(having.removed)
    // As when two devices were removed at once by two others.
    if (having.uncovered.length > 0) this.removed(having.uncovered)
    const { invite } = having
    if (this.#isSealedHere) this.#events.onLearnt({ isSealed: true, ...(invite !== null && { invite }) })
    this.#look()
  }

  /** Makes a key where nobody has one and nothing is sealed: else two devices with the link would wait for each other. */
  #makeKey(): void {
    const isWanted =
      this.#encryption.kind === 'waiting' && this.#isEmpty === true && this.#sealing[0] === this.#me
    if (!isWanted || !this.ways.isNobodyKeyed) return
    this.#incoming.run(async () => {
      const having = await this.#secrets.makeKey(this.#beam)
      return () => this.#has(having)
    })
  }

  /** Keys that this device does not know may be in the deposit of a saved beam. */
  async #withdraw(): Promise<void> {
    if (this.#isSaved && this.#having?.deposits) this.#has(await this.#secrets.withdraw(this.#beam))
  }

  /** Asks the other devices for keys that this one does not know. */
  async #learn(): Promise<void> {
    this.#changes.again()
    await this.ways.learn()
  }

  /** What could not be opened until now may open. */
  #knowsMore(): void {
    if (this.#texts.forgetUnknown()) this.#live().resync()
  }

  async #untilSettled(): Promise<void> {
    while (!this.mayLink) await this.#settled.wait()
  }

  /** Decides what the beam is by what this device has and has seen of it. */
  #look(): void {
    const decided = this.#decided()
    const isChanged = !isSame(decided, this.#encryption)
    this.#encryption = decided
    if (isChanged) this.#events.onChange(decided)
    this.ways.look(decided.kind, this.#others)
    this.#missing.listed(this.#isSealed ? this.#sealing : [], this.#me)
    this.#changes.look(decided.kind === 'sealed')
    if (this.#having?.hasOtherLink && this.#others.length > 0) void this.ways.learn()
    this.#makeKey()
    if (!isChanged || !this.mayLink) return
    this.#settled.open()
    this.#events.onKeyed()
  }

  #decided(): Encryption {
    if (this.#having === null) return { kind: 'unknown' }
    if (this.#having.isKeyed) return { kind: 'sealed', isDeposited: this.#having.isDeposited }
    if (this.#isSaved && !this.#isWithdrawn) return { kind: 'unknown' }
    // A link that carries a secret never falls back.
    if (this.#having.invite !== null) return { kind: 'waiting', isLinkOld: this.ways.isLinkOld }
    if (!this.#isListed || this.#isEmpty === null) return { kind: 'unknown' }
    const isClear = !this.#isSealedHere && this.#isEmpty && this.ways.isNobodyKeyed
    return { kind: isClear ? 'clear' : 'locked' }
  }

  /** Looks up what this device has, again and again where the worker does not answer. */
  async #enter(invite: string | null): Promise<void> {
    for (;;) {
      try {
        return this.#has(await this.#secrets.enter(this.#beam, invite))
      } catch {
        if (this.#hasEnded) return
        await pause()
      }
    }
  }

  #send(seal: () => Promise<() => unknown>): void {
    this.#outgoing.run(async () => {
      for (;;) {
        await this.#untilSettled()
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

/** Before the next attempt, in milliseconds. */
const PAUSE_MS = 1_000

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}

function isSame(one: Encryption, other: Encryption): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
