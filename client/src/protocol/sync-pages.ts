/**
 * Joins the pages of one `sync` (S11) with the changes that arrive between them: the later one in the server's order
 * wins.
 */
import type { ItemId, LiveItem, SyncPage } from './bindings'
import { addressee } from './item'
import { equalJson } from './json'

export class SyncPages {
  readonly #items = new Map<ItemId, LiveItem>()

  add({ items }: SyncPage): void {
    for (const item of items) this.#items.set(item.id, item)
  }

  received({ id, message, extra, seq, from, at, to }: LiveItem): void {
    this.#items.set(id, { id, message, extra, seq, from, at, ...addressee(to) })
  }

  /** Without an id, every item of that content is deleted (S10). */
  deleted({ message, id }: { message: unknown; id?: ItemId }): void {
    if (id !== undefined) this.#items.delete(id)
    else for (const item of this.#items.values()) this.#deleteEqual(item, message)
  }

  items(): readonly LiveItem[] {
    return [...this.#items.values()]
  }

  #deleteEqual(item: LiveItem, message: unknown): void {
    if (equalJson(item.message, message)) this.#items.delete(item.id)
  }
}
