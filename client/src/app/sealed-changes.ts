/**
 * Seals what this device shares and deletes (E3, E4). As long as it is not known whether to seal, or this device cannot yet,
 * it waits, and may be taken back.
 */
import type { DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { addressee } from '../protocol/item'
import { type SealedContent, withCopy } from '../protocol/sealed-item'
import type { LiveBeam } from '../transport/live-beam'
import type { BeamKeys } from './beam-keys'
import type { ClearCopies } from './clear-copies'
import type { ItemVersions } from './item-versions'
import { WaitingShares } from './waiting-shares'

export interface SealedChangesEvents {
  /** Runs a step in the order of what goes out, once it is known whether to seal. A step that fails is run again. */
  send(step: () => Promise<() => unknown>): void
  /** This device deletes something. */
  onDeleting(): void
}

export class SealedChanges {
  readonly #keys: BeamKeys
  readonly #live: () => LiveBeam
  readonly #copies: ClearCopies
  readonly #versions: ItemVersions
  readonly #events: SealedChangesEvents
  /** Items whose deletion is being sealed. */
  readonly #deleting = new Set<ItemId>()
  readonly #sharing = new WaitingShares()

  constructor(
    keys: BeamKeys,
    live: () => LiveBeam,
    copies: ClearCopies,
    versions: ItemVersions,
    events: SealedChangesEvents,
  ) {
    this.#keys = keys
    this.#live = live
    this.#copies = copies
    this.#versions = versions
    this.#events = events
  }

  /** Whether the person has shared something that waits. */
  get isSharing(): boolean {
    return this.#sharing.ids.length > 0
  }

  /** Whether some of that was held back by an earlier page, to which the beam was closed. */
  get hasHeldBack(): boolean {
    return this.#sharing.hasHeldBack
  }

  /** The items whose deletion the server has neither confirmed nor refused. */
  get deletions(): readonly ItemId[] {
    return [...this.#deleting, ...this.#live().deletions]
  }

  /** @param inClearTo as in `BeamChannel`; nobody where nobody says */
  share(
    id: ItemId,
    message: unknown,
    extra: string,
    to?: DeviceId,
    inClearTo: readonly DeviceId[] = [],
  ): void {
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
    this.#events.send(async () => {
      if (!waiting.isWanted()) return () => {}
      if (this.#keys.isSealed && inClearTo.length > 0 && !this.#copies.isListed)
        await this.#copies.untilListed()
      if (this.#keys.isSealed && to !== undefined && this.#copies.isTaker(to, inClearTo)) {
        // An earlier version may have been sealed: this one is not made up by the server.
        this.#versions.forget(id)
        return share(() => this.#copies.send(id, message, extra, to))
      }
      if (!this.#keys.isSealed) return share(() => this.#shareClear(id, message, extra, to))
      const from = this.#keys.me ?? (await this.#keys.own())
      const mark = this.#versions.wasClear(id) && ({ wasClear: true } as const)
      const envelope = await this.#envelopeOf({ id, from, extra, message, ...addressee(to), ...mark })
      return share(() => {
        this.#live().share(id, envelope, 'text', to)
        if (to === undefined) this.#copies.share(id, message, extra, inClearTo)
      })
    })
  }

  heldBack(id: ItemId): void {
    this.#sharing.heldBack(id)
  }

  /** The server has the item. */
  told(id: ItemId): void {
    this.#sharing.told(id)
  }

  /**
   * This device has another id now (S5), and what only it has must not come from the one that is gone. The copies that were made of it
   * go out again by themselves, and nobody has asked for others.
   */
  shareAsOther(): void {
    for (const shared of this.#live().shares) {
      const { id, message, extra, to } = this.#versions.find(shared)?.content ?? {}
      if (id !== undefined && extra !== undefined) this.share(id, message, extra, to, [])
    }
  }

  delete(id: ItemId, message: unknown): void {
    const waited = this.#sharing.takeBack(id)
    if (waited !== null) this.#keys.tookBack()
    // Its deletion would tell what it said. It stays deleted here, whatever is still done for it.
    if (waited === 'item') return void this.#deleting.add(id)
    this.#delete(id, waited === 'edit' ? this.#toldMessage(id) : message)
  }

  /** An item that the server has dropped or not been told of yet is not deleted: its copies stay. */
  synced(items: readonly LiveItem[], dropped: number): void {
    const { memory, shares } = this.#live()
    const there = new Set([...items.map(({ id }) => id), ...shares, ...this.#sharing.ids])
    this.#copies.synced(
      items,
      (id) => !there.has(id) && memory.isDeleted(id),
      (id) => !there.has(id) && !memory.knows(id) && dropped === 0,
    )
  }

  /** A file may have been given its seal before it was known that the beam is clear. */
  #shareClear(id: ItemId, message: unknown, extra: string, to?: DeviceId): void {
    this.#sharing.told(id)
    this.#live().share(id, this.#copies.unsealed(id, message), extra, to)
  }

  /** The message of an item as the server has given it. What is deleted by its id needs none. */
  #toldMessage(id: ItemId): unknown {
    return this.#live().memory.findAll([id])[0]?.message ?? ''
  }

  #delete(id: ItemId, message: unknown): void {
    if (this.#keys.isClear) return this.#live().delete(id, message)
    this.#deleting.add(id)
    this.#events.onDeleting()
    this.#events.send(async () => {
      const version = this.#versions.find(id)
      const proof =
        (version || this.#versions.isSealed(id)) && this.#keys.isSealed
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

  /** Returns the message of a content, the same one when it was sealed before. */
  async #envelopeOf(content: SealedContent): Promise<string> {
    const before = this.#versions.sealedBefore(content)
    if (before !== null) return before
    const sealed = withCopy(await this.#keys.texts.seal('share_clipboard', content), content.message)
    this.#versions.went(sealed, content)
    return sealed
  }
}
