/** What is shared here and waits until it is known whether to seal it. What was deleted or replaced meanwhile goes to nobody. */
import type { ItemId } from '../protocol/bindings'

export interface WaitingShare {
  /** Whether it is still to go out. */
  isWanted(): boolean
  /** It goes out now. */
  goes(): void
}

export class WaitingShares {
  /** The newest version of each item that waits. */
  readonly #waiting = new Map<ItemId, symbol>()
  /** Items that the server has, or was sent from here. */
  readonly #told = new Set<ItemId>()

  /** Items that an earlier page has held back. */
  readonly #heldBack = new Set<ItemId>()

  get ids(): readonly ItemId[] {
    return [...this.#waiting.keys()]
  }

  /** @param isSealed whether it is known that it goes out sealed: then nothing that comes behind it stops it */
  add(id: ItemId, isSealed: boolean): WaitingShare {
    const version = Symbol()
    this.#waiting.set(id, version)
    if (isSealed) this.#told.add(id)
    const isNewest = () => this.#waiting.get(id) === version
    return {
      isWanted: () => isSealed || isNewest(),
      goes: () => {
        if (isNewest()) this.#waiting.delete(id)
        this.#told.add(id)
      },
    }
  }

  /** Takes back what waits of an item. Returns what that was: an item that nobody else has, or an edit of one; null for nothing. */
  takeBack(id: ItemId): 'item' | 'edit' | null {
    if (!this.#waiting.delete(id)) return null
    return this.#told.has(id) ? 'edit' : 'item'
  }

  /** An earlier page has held an item back, because the beam was closed to it. */
  heldBack(id: ItemId): void {
    this.#heldBack.add(id)
  }

  /** Whether something waits that an earlier page has held back. */
  get hasHeldBack(): boolean {
    return this.ids.some((id) => this.#heldBack.has(id))
  }

  /** The server has the item, or is sent it without waiting. */
  told(id: ItemId): void {
    this.#told.add(id)
  }
}
