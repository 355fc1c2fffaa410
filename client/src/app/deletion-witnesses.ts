/**
 * Asks the other devices whether an item was deleted where only the server says so (E4). After a restart it deletes what the
 * devices have told it of (S28), and has lost the proofs.
 */
import type { DeviceId, ItemId } from '../protocol/bindings'
import { MOST_ASKED, type WitnessMessage } from '../protocol/deletion-witness'

/** Whoever has not answered within so many milliseconds knows nothing of it. */
const ANSWER_WITHIN_MS = 3_000

export interface WitnessEvents {
  /** The other devices that have the keys. */
  others(): readonly DeviceId[]
  tell(to: DeviceId, message: WitnessMessage): void
  /** Whether this device knows that the item was deleted: by a proof, or because it has done so. */
  isDeleted(id: ItemId): boolean
}

interface Round {
  readonly number: number
  /** What waits for the answers, by item. */
  readonly items: Map<ItemId, (isDeleted: boolean) => void>
  /** Who has not answered yet. */
  readonly open: Set<DeviceId>
  readonly late: ReturnType<typeof setTimeout>
}

export class DeletionWitnesses {
  readonly #events: WitnessEvents
  readonly #rounds = new Map<number, Round>()
  /** What is asked about with the next question: the server tells of many deletions at once. */
  #next: Round['items'] = new Map()
  #count = 0

  constructor(events: WitnessEvents) {
    this.#events = events
  }

  /** Resolves to whether another device knows that the item was deleted. */
  confirm(id: ItemId): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.#next.size === 0) setTimeout(() => this.#ask())
      const before = this.#next.get(id)
      this.#next.set(id, (isDeleted) => {
        before?.(isDeleted)
        resolve(isDeleted)
      })
      if (this.#next.size === MOST_ASKED) this.#ask()
    })
  }

  hear(from: DeviceId, message: WitnessMessage): void {
    if ('ask' in message) {
      const ids = message.ids.filter((id) => this.#events.isDeleted(id))
      return this.#events.tell(from, { have: 'deleted', round: message.round, ids })
    }
    const round = this.#rounds.get(message.round)
    if (!round?.open.delete(from)) return
    for (const id of message.ids) {
      round.items.get(id)?.(true)
      round.items.delete(id)
    }
    if (round.open.size === 0 || round.items.size === 0) this.#end(round)
  }

  /** The beam was left. */
  end(): void {
    for (const round of [...this.#rounds.values()]) this.#end(round)
  }

  #ask(): void {
    const items = this.#next
    this.#next = new Map()
    if (items.size === 0) return
    this.#count += 1
    const number = this.#count
    const open = new Set(this.#events.others())
    const round = { number, items, open, late: setTimeout(() => this.#end(round), ANSWER_WITHIN_MS) }
    this.#rounds.set(number, round)
    if (open.size === 0) return this.#end(round)
    for (const device of open)
      this.#events.tell(device, { ask: 'deleted', round: number, ids: [...items.keys()] })
  }

  /** Nobody knows of the items that are left. */
  #end(round: Round): void {
    clearTimeout(round.late)
    this.#rounds.delete(round.number)
    for (const resolve of round.items.values()) resolve(false)
  }
}
