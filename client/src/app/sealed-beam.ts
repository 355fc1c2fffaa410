/**
 * Seals what goes out to a beam and opens what comes in, once it is known that the beam is sealed (E1). What this device
 * shares before it has been let in waits.
 */
import { headerOf, type Kind } from '../crypto/envelope'
import type { BeamId, Device, DeviceId, ItemId, LiveItem, Note } from '../protocol/bindings'
import { type Item, liveItem, type NoteMark } from '../protocol/item'
import { equalJson } from '../protocol/json'
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
import type { Encryption } from '../stores/encryption'
import { Gate } from '../transport/gate'
import type { LiveBeam } from '../transport/live-beam'
import type { Having, OpenedText } from '../transport/secrets'
import type { SecretsDoor } from '../transport/secrets-door'
import { type BeamChannel, ClearChannel } from './beam-channel'
import { KeyChanges } from './key-changes'
import { newItemId } from './random-ids'
import { WaysIn, type WaysInEvents } from './ways-in'

/** Says that a device seals (E1). */
export const SEALING = 'e2e1'

export interface SealedBeamEvents extends Pick<WaysInEvents, 'onTrust' | 'onIn' | 'asksBefore'> {
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

/** A version of an item, as it went or came. */
interface Version {
  /** The message as the server has it. */
  readonly sealed: string
  /** The content as text, by which an item that is shared again is known to be the same. */
  readonly content: string
  /** The last message of the item that the server has sent; null for none. */
  readonly came: string | null
}

export class SealedBeam implements BeamChannel {
  readonly #secrets: SecretsDoor
  readonly #live: () => LiveBeam
  /** What everything passes through as long as the beam is not sealed. */
  readonly #clear: ClearChannel
  readonly #events: SealedBeamEvents
  readonly ways: WaysIn
  readonly #changes: KeyChanges
  #beam: BeamId
  #me: DeviceId | null = null
  #encryption: Encryption = { kind: 'unknown' }
  /** Resolves once it has been looked up what this device has. */
  readonly #entered: Promise<void>
  /** What this device has; null until it has been looked up. */
  #having: Having | null = null
  /** The other devices that seal and are here, in the order in which they joined. */
  #others: readonly DeviceId[] = []
  #isListed = false
  /** The item that has the keys of the beam while it is kept (E10). */
  #keptKeys: Pick<LiveItem, 'id' | 'message'> | null = null
  /** Whether the server stores the beam, and whether this device has looked there for its keys. */
  #isSaved = false
  #isWithdrawn = false
  readonly #versions = new Map<ItemId, Version>()
  /** Names of envelopes that came, and were replaced by others that came. */
  readonly #replaced = new Set<string>()
  /** Proofs of deletions that were used. */
  readonly #used = new Set<string>()
  /** Items whose deletion is being sealed. */
  readonly #deleting = new Set<ItemId>()
  /** The highest number of a signal that came from each page. */
  readonly #heard = new Map<string, number>()
  /** Opens once it is known whether to seal, and this device can. */
  readonly #settled = new Gate()
  /** Whether this page or an earlier one knows that the beam is sealed. */
  #isSealedHere: boolean
  /** Whether this device is the first of those that seal. */
  #isFirst = false
  /** Whether nothing that is sealed is in the beam; null before the server has told. */
  #isEmpty: boolean | null = null
  /** Keys of which nobody told: they are not asked for again. */
  readonly #unknown = new Set<string>()
  /** Everything that goes out is sealed in its order, and everything that comes is opened in its own. */
  #outgoing: Promise<void> = Promise.resolve()
  #incoming: Promise<void> = Promise.resolve()
  #hasEnded = false

  constructor(session: BeamSession, secrets: SecretsDoor, live: () => LiveBeam, events: SealedBeamEvents) {
    this.#beam = session.beamId
    this.#secrets = secrets
    this.#live = live
    this.#clear = new ClearChannel(live)
    this.#events = events
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
    events.onChange(this.#encryption)
    this.#isSealedHere = session.isSealed ?? false
    this.#entered = this.#enter(session.invite ?? null)
  }

  get mayLink(): boolean {
    return this.#encryption.kind === 'clear' || this.#encryption.kind === 'sealed'
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
    this.#send(async () => {
      const content = { id, extra, message, ...(to !== undefined && { to }) }
      const envelope = await this.#envelopeOf(content)
      return () => this.#live().share(id, envelope ?? message, envelope === null ? extra : 'text', to)
    })
  }

  delete(id: ItemId, message: unknown): void {
    if (this.#isClear) return this.#clear.delete(id, message)
    this.#deleting.add(id)
    this.#send(async () => {
      const version = this.#versions.get(id)
      const proof = version && this.#isSealed ? await this.#seal('delete_note', { id }) : undefined
      return () => {
        // It may have been shared again meanwhile.
        if (this.#deleting.delete(id)) this.#live().delete(id, version?.sealed ?? message, proof)
      }
    })
  }

  signal(to: DeviceId, message: unknown): void {
    if (this.#isClear) return this.#clear.signal(to, message)
    this.#send(async () => {
      const sealed = this.#isSealed ? await this.#seal('signal', { from: this.#me, to, message }) : message
      return () => this.#live().signal(to, sealed)
    })
  }

  signalled(from: DeviceId, message: unknown, handOn: (message: unknown) => void): void {
    if (this.#isClear) return handOn(message)
    this.#receive(async () => {
      const opened = this.#isSealed && isEnvelope(message) ? await this.#openSignal(from, message) : null
      return () => opened && handOn(opened.message)
    })
  }

  heard(from: DeviceId, message: unknown): void {
    const way = readWayIn(message)
    if (!way) return
    this.#receive(async () => {
      await this.#entered
      if (way.op === 'device') return this.#changes.introduced(from, way)
      if (way.op === 'keys') return this.#changes.handed(from, way)
      return this.ways.heard(from, way)
    })
  }

  welcomed(me: DeviceId): void {
    this.#me = me
    this.ways.welcomed(me)
    this.#changes.welcomed(me)
  }

  listed(devices: readonly Device[]): void {
    const sealing = devices.filter(({ caps }) => caps.includes(SEALING)).map(({ device_id }) => device_id)
    this.#others = sealing.filter((device) => device !== this.#me)
    this.#isFirst = sealing[0] === this.#me
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
  }

  /** Opens an item. @throws when it cannot be opened */
  open(item: LiveItem, note: NoteMark): Item | null | Promise<Item | null> {
    const kept = keptKeysIn(item.message)
    if (kept !== null) return this.#openKept(item, kept)
    // Whoever shares it again in clear text is no device of the beam.
    if (!isEnvelope(item.message) && this.#versions.has(item.id)) throw new Error('The item was sealed.')
    if (!isEnvelope(item.message)) return liveItem(item, note)
    return this.#open(item, item.message, note)
  }

  openNote(note: Note): Item | null | Promise<Item | null> {
    if (keptKeysIn(note.content) !== null) return null
    const item = noteItem(note)
    if (!isEnvelope(item.message) || item.seq === null || item.from === null) return item
    const { id, seq, from, at, extra } = item
    return this.#open({ id, seq, from, at, extra, message: item.message }, item.message, item.note)
  }

  async isDeleted(message: unknown, extra: string | undefined, id: ItemId | undefined): Promise<boolean> {
    if (id !== undefined && id === this.#keptKeys?.id) this.#keptKeys = null
    const isSealed =
      isEnvelope(message) || (id === undefined ? this.#hasSealed(message) : this.#versions.has(id))
    if (!isSealed) return true
    const isRight = id !== undefined && extra !== undefined && (await this.#isProof(extra, id))
    // The server deletes too, as after a restart (S28): what it still has shows whether this is so.
    if (!isRight) this.#live().resync()
    return isRight
  }

  /** Whether an item was sealed that has this content: deleting by content concerns plain items alone. */
  #hasSealed(message: unknown): boolean {
    return [...this.#versions.values()].some(({ content }) => equalJson(JSON.parse(content).message, message))
  }

  async #isProof(extra: string, id: ItemId): Promise<boolean> {
    await this.#untilSettled()
    const opened = await this.#openText('delete_note', extra)
    const isRight = opened.is === 'open' && readSealedDeletion(opened.text) === id && !this.#used.has(extra)
    // After an Undo, the server could use it again.
    if (isRight) this.#used.add(extra)
    return isRight
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

  removed(devices: readonly DeviceId[]): void {
    if (this.#isClear || !this.#events.mayRemove()) return
    const change = () => this.#change(() => this.#withKeys(() => this.#secrets.removed(this.#beam, devices)))
    if (this.#live().hasRemoved(devices)) change()
    // The device that has removed it may have been closed before it could change the keys.
    else setTimeout(change, CHANGED_WITHIN_MS)
  }

  rekey(): void {
    if (!this.#isClear) this.#change(() => this.#withKeys(() => this.#secrets.rekey(this.#beam, [])))
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
    this.ways.end()
  }

  async #open(item: LiveItem, sealed: string, note: NoteMark): Promise<Item> {
    if (this.#encryption.kind === 'unknown' || this.#encryption.kind === 'clear') {
      this.#isSealedHere = true
      this.#look()
    }
    await this.#untilSettled()
    const { envelope, copy } = partEnvelope(sealed)
    const opened = await this.#opened('share_clipboard', envelope)
    const inside = opened.is === 'open' ? readSealedItem(opened.text) : null
    if (!inside || inside.id !== item.id || inside.to !== item.to) throw new Error('The item does not open.')
    const known = this.#versions.get(item.id)
    // A version that was replaced here by another that came was put back by the server.
    const isOld = known !== undefined && this.#replaced.has(nameOf(envelope))
    if (!isOld) this.#came(item.id, sealed, inside)
    const shown = isOld ? (JSON.parse(known.content) as SealedContent) : inside
    const message = withoutGoneCopy(shown.message, copy)
    return liveItem({ ...item, message, extra: shown.extra }, note)
  }

  /** Takes the keys of a kept beam where this device has none. The item itself is never shown. */
  async #openKept({ id, message }: LiveItem, sealed: string): Promise<null> {
    this.#keptKeys = { id, message }
    await this.#entered
    if (!this.#isSealed) this.#has(await this.#secrets.openKept(this.#beam, sealed))
    return null
  }

  #came(id: ItemId, sealed: string, content: SealedContent): void {
    const before = this.#versions.get(id)
    if (before?.came && before.came !== sealed) this.#replaced.add(nameOf(before.came))
    this.#versions.set(id, { sealed, content: textOf(content), came: sealed })
  }

  async #openSignal(from: DeviceId, envelope: string): Promise<{ message: unknown } | null> {
    const opened = await this.#openText('signal', envelope)
    // The device begins again once both have the same keys. Waiting here would keep the welcome waiting.
    if (opened.is === 'unknown') void this.#opened('signal', envelope)
    const inside = opened.is === 'open' ? readSealedSignal(opened.text) : null
    if (opened.is !== 'open' || !inside || inside.from !== from || inside.to !== this.#me) return null
    const { page, number } = opened.header
    if (number <= (this.#heard.get(page) ?? -1)) return null
    this.#heard.set(page, number)
    return inside
  }

  /** Returns the message of a content, the same one when it was sealed before; null in a beam that is not sealed. */
  async #envelopeOf(content: SealedContent): Promise<string | null> {
    if (!this.#isSealed) return null
    const text = textOf(content)
    const known = this.#versions.get(content.id)
    if (known?.content === text) return known.sealed
    const sealed = withCopy(await this.#seal('share_clipboard', content), content.message)
    this.#versions.set(content.id, { sealed, content: text, came: known?.came ?? null })
    return sealed
  }

  #seal(kind: 'share_clipboard' | 'delete_note' | 'signal', content: unknown): Promise<string> {
    const text = JSON.stringify(content)
    return this.#withKeys(() => this.#secrets.seal(this.#beam, kind, text))
  }

  #openText(kind: Kind, envelope: string): Promise<OpenedText> {
    return this.#withKeys(() => this.#secrets.open(this.#beam, kind, envelope))
  }

  /** Where the worker was replaced, the next one has the keys that were kept. */
  async #withKeys<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch {
      await this.#secrets.enter(this.#beam, this.#having?.invite ?? null)
      return ask()
    }
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
    const isWanted = this.#encryption.kind === 'waiting' && this.#isEmpty === true && this.#isFirst
    if (!isWanted || !this.ways.isNobodyKeyed) return
    this.#receive(async () => {
      const having = await this.#secrets.makeKey(this.#beam)
      return () => this.#has(having)
    })
  }

  /** Opens an envelope. Keys that this device does not know are asked for, once each. */
  async #opened(kind: Kind, envelope: string): Promise<OpenedText> {
    const opened = await this.#openText(kind, envelope)
    const keyId = headerOf(envelope)?.keyId
    if (opened.is !== 'unknown' || keyId === undefined || this.#unknown.has(keyId)) return opened
    for (const learn of [() => this.#incoming, () => this.#withdraw(), () => this.#learn()]) {
      await learn()
      const again = await this.#openText(kind, envelope)
      if (again.is !== 'unknown') return again
    }
    this.#unknown.add(keyId)
    return opened
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
    if (this.#unknown.size === 0) return
    this.#unknown.clear()
    this.#live().resync()
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
    this.#outgoing = this.#inOrder(this.#outgoing, async () => {
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

  #receive(open: () => Promise<() => unknown>): void {
    this.#incoming = this.#inOrder(this.#incoming, open)
  }

  /** Runs one step after the others. A step that fails, as when the worker was replaced, leaves the next ones alone. */
  async #inOrder(before: Promise<void>, step: () => Promise<() => unknown>): Promise<void> {
    await before
    if (this.#hasEnded) return
    try {
      const act = await step()
      if (!this.#hasEnded) act()
    } catch {}
  }
}

function textOf({ id, extra, message, to }: SealedContent): string {
  return JSON.stringify({ id, extra, message, to })
}

/** Before the next attempt, in milliseconds. */
const PAUSE_MS = 1_000

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}

/** Names an envelope by its page and number, which no other has. */
function nameOf(sealed: string): string {
  const header = headerOf(partEnvelope(sealed).envelope)
  return header ? `${header.page}:${header.number}` : sealed
}

function isSame(one: Encryption, other: Encryption): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
