/**
 * Between the live channel and the items store: converts arrivals to items, in their order. What is sealed is opened here,
 * and everything else only parsed.
 */
import { t } from '@lingui/core/macro'
import type { ItemId, LiveItem } from '../protocol/bindings'
import { type Item, liveItem, type NoteMark } from '../protocol/item'
import type { ItemsEvent } from '../stores/items'

/** An event of the beam's items, in the server's order. */
export type Arrival =
  | { type: 'received'; item: LiveItem; note: NoteMark }
  | {
      type: 'synced'
      epoch: string
      oldest: number
      items: readonly LiveItem[]
      /** Returns the note mark of one of them. */
      markOf: (id: ItemId) => NoteMark
      /** The server stores what is shared, so it lacks only what was deleted. */
      isStored: boolean
    }
  | { type: 'deleted'; message: unknown; extra?: string | undefined; id?: ItemId | undefined }
  | Extract<ItemsEvent, { type: 'refused' | 'notes' | 'notesGone' }>

/** Opens one message. A rejected promise means that it cannot be opened. */
export interface Opener {
  /** An item has come, perhaps while others still wait to be opened. */
  came(item: LiveItem): void
  /** Returns null for an item that is not to be shown. */
  open(item: LiveItem, note: NoteMark): Item | null | Promise<Item | null>
  /** Whether a deletion was made by a device of the beam. */
  isDeleted(message: unknown, extra: string | undefined, id: ItemId | undefined): boolean | Promise<boolean>
}

/** Shown in place of an item that could not be opened. */
export const unopened = () => t`This item could not be opened on this device.`

export class OpeningStage {
  readonly #opener: Opener
  readonly #deliver: (events: readonly ItemsEvent[]) => void
  #waiting: Arrival[] = []
  #isOpening = false
  #hasEnded = false

  /** @param deliver called with opened items, in the order of their arrival */
  constructor(opener: Opener, deliver: (events: readonly ItemsEvent[]) => void) {
    this.#opener = opener
    this.#deliver = deliver
  }

  push(arrival: Arrival): void {
    for (const item of itemsIn(arrival)) this.#opener.came(item)
    this.#waiting.push(arrival)
    if (!this.#isOpening) void this.#openAll()
  }

  /** The beam was left: whatever is still being opened is dropped. */
  end(): void {
    this.#hasEnded = true
    this.#waiting = []
  }

  /** Opens everything that waits, in parallel. Later arrivals wait for the next round. */
  async #openAll(): Promise<void> {
    this.#isOpening = true
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0)
        const events = await Promise.all(batch.map((arrival) => this.#open(arrival)))
        if (!this.#hasEnded) this.#deliver(events.filter((event) => event !== null))
      }
    } finally {
      this.#isOpening = false
    }
  }

  /** Returns null for what is not to be shown, and for a deletion that no device of the beam has made. */
  async #open(arrival: Arrival): Promise<ItemsEvent | null> {
    switch (arrival.type) {
      case 'received': {
        const item = await this.#openItem(arrival.item, arrival.note)
        return item && { type: 'received', item }
      }
      case 'synced': {
        const { epoch, oldest, markOf, isStored } = arrival
        const items = await Promise.all(arrival.items.map((item) => this.#openItem(item, markOf(item.id))))
        return { type: 'synced', epoch, oldest, items: shown(items), saved: isStored }
      }
      case 'deleted': {
        const { message, id } = arrival
        return (await this.#isDeleted(arrival)) ? { type: 'deleted', message, id } : null
      }
      default:
        return arrival
    }
  }

  /** A deletion that cannot be checked takes nothing away, and keeps nothing else waiting. */
  async #isDeleted({ message, extra, id }: Extract<Arrival, { type: 'deleted' }>): Promise<boolean> {
    try {
      return await this.#opener.isDeleted(message, extra, id)
    } catch {
      return false
    }
  }

  async #openItem(item: LiveItem, note: NoteMark): Promise<Item | null> {
    try {
      return await this.#opener.open(item, note)
    } catch {
      return { ...liveItem(item, note), content: { kind: 'unknown', extra: item.extra, text: unopened() } }
    }
  }
}

function itemsIn(arrival: Arrival): readonly LiveItem[] {
  if (arrival.type === 'received') return [arrival.item]
  return arrival.type === 'synced' ? arrival.items : []
}

function shown(items: readonly (Item | null)[]): readonly Item[] {
  return items.filter((item) => item !== null)
}
