/**
 * The channel of a beam that is sealed once that is known (E1). What goes out is sealed by `app/sealed-changes`, what comes of
 * items is opened by `app/opened-items`, and signals by `app/sealed-signals`. Its keys: `app/beam-keys`.
 */
import type { BeamId, Device, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { readWitness } from '../protocol/deletion-witness'
import type { Item, NoteMark } from '../protocol/item'
import { readComparison } from '../protocol/item-comparison'
import { isEnvelope, keptKeysIn } from '../protocol/sealed-item'
import type { BeamSession } from '../stores/beam-session'
import { seals } from '../stores/devices'
import type { LiveBeam } from '../transport/live-beam'
import type { SecretsDoor } from '../transport/secrets-door'
import type { BeamChannel, RekeyedHere } from './beam-channel'
import { BeamKeys, type BeamKeysEvents } from './beam-keys'
import type { ClearCopies } from './clear-copies'
import { InOrder } from './in-order'
import { ItemVersions } from './item-versions'
import { MissingItems, type MissingItemsEvents } from './missing-items'
import { OpenedItems } from './opened-items'
import { SealedChanges } from './sealed-changes'
import { SealedSignals } from './sealed-signals'
import { pause } from './until-told'
import type { WaysIn } from './ways-in'

export interface SealedBeamEvents extends BeamKeysEvents, Pick<MissingItemsEvents, 'onMissing'> {
  /** Something could not be opened as long as nobody let this device in, and can be now. */
  onOpenable(): void
}

export class SealedBeam implements BeamChannel {
  readonly #live: () => LiveBeam
  readonly #copies: ClearCopies
  readonly #keys: BeamKeys
  readonly #changes: SealedChanges
  readonly #items: OpenedItems
  readonly #signals: SealedSignals
  readonly #missing: MissingItems
  readonly #versions = new ItemVersions()
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
    this.#live = live
    this.#copies = copies
    const content = {
      send: (step: () => Promise<() => unknown>) => this.#send(step),
      looked: (sealing: readonly DeviceId[], me: DeviceId | null) => this.#missing.listed(sealing, me),
      settled: () => {
        if (this.#items.takeLeftClosed()) events.onOpenable()
      },
      isSharing: () => this.#changes.isSharing,
      hasHeldBack: () => this.#changes.hasHeldBack,
    }
    this.#keys = new BeamKeys(session, secrets, live, this.#incoming, content, events)
    this.#changes = new SealedChanges(this.#keys, live, copies, this.#versions, {
      send: (step) => this.#send(step),
      onDeleting: () => this.#missing.hear({ is: 'changed' }),
    })
    this.#items = new OpenedItems(this.#keys, live, copies, this.#versions, {
      tell: (to, message) => this.signal(to, message),
      onChange: () => this.#missing.hear({ is: 'changed' }),
      deletions: () => this.deletions,
    })
    this.#signals = new SealedSignals(this.#keys)
    this.#missing = new MissingItems({
      given: () => live().memory.given,
      replaced: () => this.#versions.replaced,
      isPast: (id, version, since) =>
        this.deletions.includes(id) || this.#versions.isPast(id, version, since),
      tell: (to, message) => this.signal(to, message),
      sync: () => live().resync(),
      onMissing: events.onMissing,
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
    return this.#changes.deletions
  }

  share(...shared: Parameters<SealedChanges['share']>): void {
    this.#changes.share(...shared)
  }

  isSealed(id: ItemId): boolean {
    return this.#versions.isSealed(id)
  }

  delete(id: ItemId, message: unknown): void {
    this.#changes.delete(id, message)
  }

  cameClear(id: ItemId): void {
    this.#versions.sawClear(id)
  }

  heldBack(id: ItemId): void {
    this.#changes.heldBack(id)
  }

  offersAgain(id: ItemId): void {
    this.#copies.offerAgain(id)
  }

  signal(to: DeviceId, message: unknown): void {
    if (this.#keys.isClear) return this.#live().signal(to, message)
    this.#send(async () => {
      const sealed = this.#keys.isSealed ? await this.#signals.seal(to, message) : message
      return () => this.#live().signal(to, sealed)
    })
  }

  signalled(from: DeviceId, message: unknown, handOn: (message: unknown) => void): void {
    if (this.#keys.isClear) return handOn(message)
    this.#incoming.run(async () => {
      const opened = await this.#signals.open(from, message)
      return () => opened && this.#signalled(from, opened.message, handOn)
    })
  }

  #signalled(from: DeviceId, message: unknown, handOn: (message: unknown) => void): void {
    const comparison = readComparison(message)
    if (comparison) return this.#missing.hear({ is: 'heard', from, message: comparison })
    const witness = readWitness(message)
    if (witness) return this.#items.witnesses.hear(from, witness)
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
    if (isOther) this.#changes.shareAsOther()
  }

  disconnected(): void {
    this.#keys.disconnected()
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
    for (const { id, message } of items) if (isEnvelope(message)) this.#versions.sawSealed(id)
    this.#missing.hear({ is: 'synced' })
    this.#changes.synced(items, dropped)
    this.#items.synced()
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

  rekey(): Promise<RekeyedHere> {
    return this.#keys.rekey()
  }

  move(beam: BeamId, isMine: boolean): void {
    this.#keys.move(beam, isMine)
  }

  /** What has the keys is opened at once: what came before may wait for them. */
  came(item: LiveItem): void {
    this.#changes.told(item.id)
    const kept = keptKeysIn(item.message)
    if (kept !== null) this.#keys.kept.came(item, kept)
  }

  open(item: LiveItem, note: NoteMark): Item | null | Promise<Item | null> {
    return this.#items.open(item, note)
  }

  isDeleted(message: unknown, extra: string | undefined, id: ItemId | undefined): Promise<boolean> {
    return this.#items.isDeleted(message, extra, id)
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
    this.#items.end()
  }

  #send(seal: () => Promise<() => unknown>): void {
    this.#outgoing.run(async () => {
      for (;;) {
        // Nothing is awaited that need not be: the worker begins before the page draws what was shared.
        if (!this.#keys.isSettled) await this.#keys.untilSettled()
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
