/** Notes that went away lately: while Undo may bring one back, no new note takes its place. */
import type { ItemId } from '../../protocol/bindings'

/** A little longer than Undo is offered. */
const UNDO_MS = 10_000

export class Departed {
  #present: ReadonlySet<ItemId> = new Set()
  /** When each went, in milliseconds. */
  readonly #since = new Map<ItemId, number>()

  /** Takes the notes that are here now, and returns those that went away lately. */
  among(here: readonly ItemId[], now: number): readonly ItemId[] {
    const present = new Set(here)
    for (const id of this.#present) if (!present.has(id)) this.#since.set(id, now)
    for (const [id, since] of this.#since) {
      if (present.has(id) || now - since > UNDO_MS) this.#since.delete(id)
    }
    this.#present = present
    return [...this.#since.keys()]
  }
}
