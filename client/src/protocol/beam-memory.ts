/**
 * What this device knows of a beam's items, so that it can bring them back after the server has lost them (S28). An
 * item that is not known because it was deleted differs from one that this device has never seen: within the `known`
 * ranges of numbers, every item that was not deleted is here.
 */
import { type Held, type ItemId, type LiveItem, MAX_HELD_ITEMS, MAX_HELD_RANGES } from './bindings'
import { equalJson } from './json'
import { isEnvelope } from './sealed-item'

/** Both ends included. */
type Range = readonly [first: number, last: number]

/** Most deletions to remember, the latest. */
const MOST_DELETED = 5_000

export class BeamMemory {
  readonly #items = new Map<ItemId, LiveItem>()
  /** Those that the server has given, and has not deleted. */
  #given = new Set<ItemId>()
  /** Sealed items that the server has deleted, though no device of the beam is known to have done so (E4). They stay here. */
  readonly #doubted = new Set<ItemId>()
  /** The numbers of the items that were deleted, so that no other device gives them back (S29). */
  readonly #deleted = new Map<ItemId, number>()
  /** In the order in which they became known. None touches another. */
  #known: readonly Range[] = []
  /** The first number of the server's present memory. */
  #oldest = Number.POSITIVE_INFINITY

  /** The server has sent all its items. */
  synced(oldest: number, items: readonly LiveItem[]): void {
    const there = new Set(items.map(({ id }) => id))
    for (const { id, seq } of this.#items.values())
      if (this.#isLacking(id, seq, oldest, there)) this.#delete(id)
    for (const item of items) this.#put(item)
    this.#given = there
    this.#oldest = oldest
    this.#learn(oldest, items)
  }

  /** In the same memory of the server, what it lacks was deleted. */
  #isLacking(id: ItemId, seq: number, oldest: number, there: ReadonlySet<ItemId>): boolean {
    return seq >= oldest && !there.has(id) && !this.#doubted.has(id)
  }

  /** The server has sent an item, and everything before it. */
  received(item: LiveItem): void {
    this.#put(item)
    this.#given.add(item.id)
    this.#learn(this.#oldest, [item])
  }

  /** An item was deleted, or, without an id, every item of that content (S10). */
  deleted(id: ItemId | undefined, message: unknown): void {
    for (const one of this.#named(id, message)) this.#delete(one)
  }

  /** The server has deleted what is named so. What is sealed stays here until it is known that the deletion counts (E4). */
  taken(id: ItemId | undefined, message: unknown): void {
    for (const one of this.#named(id, message)) {
      this.#given.delete(one)
      if (isEnvelope(this.#items.get(one)?.message)) this.#doubted.add(one)
      else this.#delete(one)
    }
  }

  /** The deletion counts of what is named so, unless the server has it again. */
  confirmed(id: ItemId | undefined, message: unknown): void {
    for (const one of this.#named(id, message)) if (this.#doubted.has(one)) this.#delete(one)
  }

  /** Returns the items whose deletion does not count, or not yet. */
  get doubted(): readonly LiveItem[] {
    return this.findAll([...this.#doubted])
  }

  /** Whether the server has given this version of an item last, and has not deleted it. */
  isGiven(id: ItemId, message: unknown): boolean {
    return this.#given.has(id) && this.#items.get(id)?.message === message
  }

  #named(id: ItemId | undefined, message: unknown): readonly ItemId[] {
    if (id !== undefined) return [id]
    return [...this.#items.values()].filter((item) => equalJson(item.message, message)).map((item) => item.id)
  }

  /** Takes items that the server has dropped for lack of room, from another device (S29). */
  remember(items: readonly LiveItem[]): void {
    for (const item of items) if (!this.knows(item.id)) this.#put(item)
  }

  /** Whether the item is here, or was deleted. */
  knows(id: ItemId): boolean {
    return this.#items.has(id) || this.#deleted.has(id)
  }

  /** Whether the item was deleted, as far as is known. */
  isDeleted(id: ItemId): boolean {
    return this.#deleted.has(id)
  }

  /** Returns how many items below a number are here or were deleted. */
  countBelow(seq: number): number {
    const deleted = [...this.#deleted.values()].filter((one) => one < seq)
    return this.below(seq).length + deleted.length
  }

  /** Returns what the server has given for everybody and has not deleted, the oldest first. */
  get given(): readonly LiveItem[] {
    return this.findAll([...this.#given]).toSorted((one, other) => one.seq - other.seq)
  }

  /** Returns those of the items that are known, in the order asked for. */
  findAll(ids: readonly ItemId[]): readonly LiveItem[] {
    return ids.flatMap((id) => this.#items.get(id) ?? [])
  }

  /** Returns the items below a number, the newest first. */
  below(seq: number): readonly LiveItem[] {
    return [...this.#items.values()].filter((item) => item.seq < seq).sort((a, b) => b.seq - a.seq)
  }

  /**
   * Returns what the server may lack: the items below its first number, without those that are being deleted. Null when
   * nothing is known of such.
   */
  held(deletions: readonly ItemId[] = []): Held | null {
    for (const id of deletions) this.#delete(id)
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

  /** What is for this device alone (S33) is none of the others' business, so it is not brought back either. */
  #put({ id, message, extra, seq, from, at, to }: LiveItem): void {
    this.#deleted.delete(id)
    this.#doubted.delete(id)
    if (to === undefined) this.#items.set(id, { id, message, extra, seq, from, at })
  }

  /** An item that was never here may come from another device too: its number is not known. */
  #delete(id: ItemId): void {
    const seq = this.#items.get(id)?.seq ?? this.#deleted.get(id) ?? Number.POSITIVE_INFINITY
    this.#items.delete(id)
    this.#given.delete(id)
    this.#doubted.delete(id)
    this.#deleted.set(id, seq)
    const [earliest] = this.#deleted.keys()
    if (this.#deleted.size > MOST_DELETED && earliest !== undefined) this.#deleted.delete(earliest)
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
