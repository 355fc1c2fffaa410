/** The item that has the keys of a beam while it is kept, for whoever opens its link after all devices have left (E10). */
import type { DeviceId, LiveItem } from '../protocol/bindings'
import { keptKeysMessage } from '../protocol/sealed-item'
import type { LiveBeam } from '../transport/live-beam'
import type { Having } from '../transport/secrets'
import { putLast } from './put-last'
import { newItemId } from './random-ids'
import type { Lacking } from './sharing-again'

/** So many items that may have the keys are tried when a secret comes: an honest beam has one. */
const MOST_TEXTS = 8

export interface KeptBeamKeysEvents {
  /** Whether this device has the key that seals. */
  isSealed(): boolean
  /** Resolves to the id of this device. */
  own(): Promise<DeviceId>
  /** Runs a step in the order of what goes out, once it is known whether to seal. A step that fails is run again. */
  send(step: () => Promise<() => unknown>): void
  live(): Pick<LiveBeam, 'share' | 'delete'>
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
  /** What may have them, for when this device has the secret that opens it: anybody can share what only looks so. */
  readonly #texts = new Map<LiveItem['id'], { readonly item: LiveItem; readonly sealed: string }>()

  constructor(readonly events: KeptBeamKeysEvents) {}

  /** The item, as long as the beam is kept. */
  get item(): Lacking | null {
    return this.#isKept ? this.#item : null
  }

  /** The beam is kept, or is not any more. @param isMine whether the person at this device has said so */
  turned(isKept: boolean, isMine: boolean): void {
    this.#isKept = isKept
    if (!isMine) return
    this.events.send(async () => {
      const isWanted = isKept && this.events.isSealed() && !this.#item
      const sealed = isWanted ? await this.events.seal() : null
      const from = await this.events.own()
      return () => {
        if (sealed !== null) this.#share({ id: newItemId(), message: keptKeysMessage(sealed), from })
        if (isKept || !this.#item) return
        this.events.live().delete(this.#item.id, this.#item.message)
        this.#item = null
      }
    })
  }

  /** The keys have changed. Returns the step that shares the item with those of now. */
  async changed(): Promise<() => void> {
    const sealed = this.#item && (await this.events.seal())
    return () => {
      if (this.#item && sealed) this.#share({ ...this.#item, message: keptKeysMessage(sealed) })
    }
  }

  synced(items: readonly LiveItem[]): void {
    if (!items.some(({ id }) => id === this.#item?.id)) this.#item = null
  }

  /** An item has come that may have the keys. */
  came(item: LiveItem, sealed: string): void {
    if (!this.events.isSealed()) putLast(this.#texts, item.id, { item, sealed }, MOST_TEXTS)
    void this.#try(item, sealed)
  }

  /** This device has the secret of a link, without which they did not open. */
  invited(): void {
    for (const { item, sealed } of this.#texts.values()) void this.#try(item, sealed)
  }

  /** An item was deleted: perhaps this one. As long as the beam is kept, it is shared again. */
  deleted(id: LiveItem['id']): void {
    if (id === this.#item?.id && !this.#isKept) this.#item = null
    this.#texts.delete(id)
  }

  #share(item: Lacking): void {
    this.#item = item
    this.events.live().share(item.id, item.message, 'text')
  }

  async #try({ id, message, from }: LiveItem, sealed: string): Promise<void> {
    const having = await this.events.open(sealed)
    if (!having) return
    this.#item = { id, message, from }
    if (having.isKeyed && !this.events.isSealed()) this.events.onHaving(having)
  }
}
