/**
 * Shares a sealed item again, as it was, where somebody without the keys has taken it from the server or replaced it there (E4).
 * The device that shared it does so at once. Each other one waits longer, so that it does so only where those before it did not.
 */
import type { DeviceId, ItemId, LiveItem } from '../protocol/bindings'

/** How much longer each device waits than the one before it, in milliseconds, and how many wait differently. */
const EACH_AFTER_MS = 2_000
const MOST_WAITS = 5
/** Most times that an item is shared again within so many milliseconds: two parties must not keep each other busy. */
const MOST_TIMES = 3
const WITHIN_MS = 60_000

/** An item as the server ought to have it, and the device that shared it. */
export type Lacking = Pick<LiveItem, 'id' | 'message' | 'from'>

export interface SharingAgainEvents {
  /** The devices that seal and are here, in the order in which they joined. */
  sealing(): readonly DeviceId[]
  me(): DeviceId | null
  /** Returns an item that the server lacks; undefined where it has it as it ought to be, or ought not to have it. */
  lacking(id: ItemId): Lacking | undefined
  share(item: Lacking): void
}

export class SharingAgain {
  readonly #events: SharingAgainEvents
  readonly #waiting = new Map<ItemId, ReturnType<typeof setTimeout>>()
  /** When each item was shared again. */
  readonly #times = new Map<ItemId, readonly number[]>()
  #hasEnded = false

  constructor(events: SharingAgainEvents) {
    this.#events = events
  }

  /** The server may lack an item. @param afterMs until it is certain */
  look(id: ItemId, afterMs = 0): void {
    const item = this.#events.lacking(id)
    if (!item || this.#waiting.has(id) || this.#hasEnded) return
    const wait = afterMs + this.#turnOf(item.from) * EACH_AFTER_MS
    this.#waiting.set(
      id,
      setTimeout(() => this.#share(id), wait),
    )
  }

  /** The beam was left. */
  end(): void {
    this.#hasEnded = true
    for (const timer of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  /** Returns how many devices come before this one. */
  #turnOf(from: DeviceId): number {
    const me = this.#events.me()
    if (from === me) return 0
    const sealing = this.#events.sealing()
    const others = sealing.filter((device) => device !== from)
    const before = me === null ? MOST_WAITS : others.indexOf(me) + (sealing.includes(from) ? 1 : 0)
    return Math.min(Math.max(before, 0), MOST_WAITS)
  }

  #share(id: ItemId): void {
    this.#waiting.delete(id)
    const item = this.#events.lacking(id)
    const now = Date.now()
    const times = (this.#times.get(id) ?? []).filter((at) => at > now - WITHIN_MS)
    if (!item || times.length >= MOST_TIMES) return
    this.#times.set(id, [...times, now])
    this.#events.share(item)
  }
}
