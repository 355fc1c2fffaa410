/** The item that has the keys of a beam while it is kept, for whoever opens its link after all devices have left (E10). */
import type { DeviceId, LiveItem } from '../protocol/bindings'
import { keptKeysMessage } from '../protocol/sealed-item'
import type { Having } from '../transport/having'
import type { LiveBeam } from '../transport/live-beam'
import { putLast } from './put-last'
import { newItemId } from './random-ids'
import type { Lacking } from './sharing-again'

/** So many items that may have the keys are tried: an honest beam has one. */
const MOST_TEXTS = 8
/** How much longer each device waits than the one before it, in milliseconds, where whoever asked to keep the beam shared no keys. */
const EACH_AFTER_MS = 2_000

export interface KeptBeamKeysEvents {
  /** Whether this device has the key that seals. */
  isSealed(): boolean
  /** Returns the place of this device among those that seal, from 0. */
  place(): number
  /** Resolves to the id of this device. */
  own(): Promise<DeviceId>
  /** Runs a step in the order of what goes out, once it is known whether to seal. A step that fails is run again. */
  send(step: () => Promise<() => unknown>): void
  live(): Pick<LiveBeam, 'share' | 'delete' | 'shares'>
  /** Returns what lets in whoever has the link; null where this device has no key. */
  seal(): Promise<string | null>
  /** Takes what an item has. Resolves to null where it does not open, or the beam was left. */
  open(sealed: string): Promise<Having | null>
  /** The keys came from the item. */
  onHaving(having: Having): void
}

export class KeptBeamKeys {
  #item: Lacking | null = null
  #isKept = false
  /** Whether the server has told over this socket what is in the beam. */
  #isSynced = false
  /** This device's turn to share the item, where nobody has. */
  #turn: ReturnType<typeof setTimeout> | null = null
  /** What may have them, for when this device has the secret that opens it: anybody can share what only looks so. */
  readonly #texts = new Map<LiveItem['id'], { readonly item: LiveItem; readonly sealed: string }>()

  constructor(readonly events: KeptBeamKeysEvents) {}

  /** The item, as long as the beam is kept. */
  get item(): Lacking | null {
    return this.#isKept ? this.#item : null
  }

  get #isWanted(): boolean {
    return this.#isKept && this.#item === null && this.events.isSealed()
  }

  /** The beam is kept, or is not any more. @param isMine whether the person at this device has said so */
  turned(isKept: boolean, isMine: boolean): void {
    this.#isKept = isKept
    if (isMine && isKept) return this.#give()
    if (isMine) this.#takeBack()
    this.look()
  }

  /** What is in the beam now is told over the next socket. */
  disconnected(): void {
    this.#isSynced = false
    this.look()
  }

  /** Who is here may have changed, or what this device has. A device that does not seal may have asked to keep the beam. */
  look(): void {
    if (this.#isWanted && this.#isSynced) {
      this.#turn ??= setTimeout(() => this.#give(), (this.events.place() + 1) * EACH_AFTER_MS)
      return
    }
    this.#stopWaiting()
  }

  /** The beam was left. */
  end(): void {
    this.#stopWaiting()
  }

  #stopWaiting(): void {
    if (this.#turn !== null) clearTimeout(this.#turn)
    this.#turn = null
  }

  #give(): void {
    this.#stopWaiting()
    this.events.send(async () => {
      // One that came before this device had the secret may be the item.
      if (this.#isWanted) await this.#tryAll()
      const sealed = this.#isWanted ? await this.events.seal() : null
      const from = await this.events.own()
      return () => {
        if (sealed !== null && this.#isWanted)
          this.#share({ id: newItemId(), message: keptKeysMessage(sealed), from })
      }
    })
  }

  #takeBack(): void {
    this.events.send(async () => () => {
      if (this.#item) this.events.live().delete(this.#item.id, this.#item.message)
      this.#item = null
    })
  }

  /** The keys have changed. Returns the step that shares the item with those of now. */
  async changed(): Promise<() => void> {
    const sealed = this.item && (await this.events.seal())
    return () => {
      if (this.item && sealed) this.#share({ ...this.item, message: keptKeysMessage(sealed) })
    }
  }

  synced(items: readonly LiveItem[]): void {
    const there = new Set([...items.map(({ id }) => id), ...this.events.live().shares])
    if (this.#item && !there.has(this.#item.id)) this.#item = null
    for (const id of this.#texts.keys()) if (!there.has(id)) this.#texts.delete(id)
    this.#isSynced = true
    this.look()
  }

  /** An item has come that may have the keys. */
  came(item: LiveItem, sealed: string): void {
    putLast(this.#texts, item.id, { item, sealed }, MOST_TEXTS)
    void this.#try(item, sealed)
  }

  /** This device has the secret of a link, without which they did not open. */
  invited(): void {
    void this.#tryAll()
  }

  /** An item was deleted: perhaps this one. As long as the beam is kept, it is shared again. */
  deleted(id: LiveItem['id']): void {
    if (id === this.#item?.id && !this.#isKept) this.#item = null
    this.#texts.delete(id)
  }

  async #tryAll(): Promise<void> {
    await Promise.all([...this.#texts.values()].map(({ item, sealed }) => this.#try(item, sealed)))
  }

  #share(item: Lacking): void {
    this.#item = item
    this.events.live().share(item.id, item.message, 'text')
  }

  async #try({ id, message, from }: LiveItem, sealed: string): Promise<void> {
    const having = await this.events.open(sealed)
    if (!having) return
    // It may be gone since.
    if (this.#texts.get(id)?.sealed === sealed) this.#item = { id, message, from }
    if (having.isKeyed && !this.events.isSealed()) this.events.onHaving(having)
  }
}
