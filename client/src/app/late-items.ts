/**
 * Looks after stored copies whose items reach the server late, as after hours without a network. The server removes a copy that no
 * item names for ten minutes (H44), and everybody would read the item as that of a file that it has.
 */
import type { ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'

/** An item that comes so many milliseconds after its copy is late: half of the time that the server gives it. */
export const LATE_AFTER_MS = 5 * 60_000

interface Shared {
  readonly id: ItemId
}

interface Awaited<F> {
  readonly file: F
  readonly url: string
  /** Milliseconds since the Unix epoch. A page that sleeps counts as well. */
  readonly storedAt: number
}

export class LateItems<F extends Shared> {
  readonly #isGone: (url: string) => Promise<boolean | null>
  readonly #onGone: (file: F) => void
  /** Copies whose items the server has not echoed yet. */
  readonly #awaited = new Map<ItemId, Awaited<F>>()

  /**
   * @param isGone whether the server has no copy at an address any more; null when it does not say
   * @param onGone called for a file whose copy was gone before its item came
   */
  constructor(isGone: (url: string) => Promise<boolean | null>, onGone: (file: F) => void) {
    this.#isGone = isGone
    this.#onGone = onGone
  }

  /** The server has a copy of a file, and its item is on its way. */
  stored(file: F, url: string): void {
    this.#awaited.set(file.id, { file, url, storedAt: Date.now() })
  }

  /** Forgets all other items: they were deleted, or their beam was left. */
  keepOnly(isLeft: (id: ItemId) => boolean): void {
    for (const id of this.#awaited.keys()) if (!isLeft(id)) this.#awaited.delete(id)
  }

  /** Looks at copies whose items the server has now, if it has these late. */
  look(items: readonly Item[]): void {
    if (this.#awaited.size === 0) return
    for (const { id, seq, isChanged, content } of items) {
      const copy = this.#awaited.get(id)
      const isEcho = seq !== null && !isChanged && content.kind === 'file' && content.url === copy?.url
      if (!copy || !isEcho) continue
      this.#awaited.delete(id)
      if (Date.now() - copy.storedAt >= LATE_AFTER_MS) void this.#lookAt(copy)
    }
  }

  async #lookAt(copy: Awaited<F>): Promise<void> {
    const isGone = await this.#isGone(copy.url)
    if (isGone) this.#onGone(copy.file)
    // The network may be back only in part. It is looked at again, unless another copy was stored meanwhile.
    else if (isGone === null && !this.#awaited.has(copy.file.id)) this.#awaited.set(copy.file.id, copy)
  }
}
