/**
 * What this device knows of a beam's items, so that it can bring them back after the server has lost them (S28). An
 * item that is not known because it was deleted differs from one that this device has never seen: within the `known`
 * ranges of numbers, every item that was not deleted is here.
 */
import { type Held, type ItemId, type LiveItem, MAX_HELD_ITEMS, MAX_HELD_RANGES } from './bindings'
import { equalJson } from './json'

/** Both ends included. */
type Range = readonly [first: number, last: number]

export class BeamMemory {
  readonly #items = new Map<ItemId, LiveItem>()
  /** In the order in which they became known. None touches another. */
  #known: readonly Range[] = []
  /** The first number of the server's present memory. */
  #oldest = Number.POSITIVE_INFINITY

  /** The server has sent all its items. */
  synced(oldest: number, items: readonly LiveItem[]): void {
    for (const { id, seq } of this.#items.values()) if (seq >= oldest) this.#items.delete(id)
    for (const item of items) this.#put(item)
    this.#oldest = oldest
    this.#learn(oldest, items)
  }

  /** The server has sent an item, and everything before it. */
  received(item: LiveItem): void {
    this.#put(item)
    this.#learn(this.#oldest, [item])
  }

  /** An item was deleted, or, without an id, every item of that content (S10). */
  deleted(id: ItemId | undefined, message: unknown): void {
    if (id !== undefined) this.#items.delete(id)
    else
      for (const item of this.#items.values())
        if (equalJson(item.message, message)) this.#items.delete(item.id)
  }

  find(id: ItemId): LiveItem | null {
    return this.#items.get(id) ?? null
  }

  /** Returns what the server may lack: the items below its first number. Null when nothing is known of such. */
  held(): Held | null {
    const items = [...this.#items.values()]
      .filter(({ seq }) => seq < this.#oldest)
      .sort((a, b) => a.seq - b.seq)
      .slice(-MAX_HELD_ITEMS)
    // Of a list that is cut off, only the part that it covers may be called complete.
    const first = items.length === MAX_HELD_ITEMS ? (items[0]?.seq ?? 0) : 0
    const known = this.#known
      .map(([from, to]) => [Math.max(from, first), Math.min(to, this.#oldest - 1)] as [number, number])
      .filter(([from, to]) => from <= to)
    return known.length + items.length === 0
      ? null
      : { known, items: items.map(({ id, seq }) => ({ id, seq })) }
  }

  #put({ id, message, extra, seq, from, at }: LiveItem): void {
    this.#items.set(id, { id, message, extra, seq, from, at })
  }

  /** Everything from a number of the server's present memory up to these items is known. */
  #learn(first: number, items: readonly LiveItem[]): void {
    const last = items.reduce((highest, { seq }) => Math.max(highest, seq), 0)
    if (last < first) return
    let range: Range = [first, last]
    const apart = this.#known.filter(([from, to]) => {
      const touches = from <= range[1] + 1 && range[0] <= to + 1
      if (touches) range = [Math.min(from, range[0]), Math.max(to, range[1])]
      return !touches
    })
    this.#known = [...apart, range].slice(-MAX_HELD_RANGES)
  }
}
