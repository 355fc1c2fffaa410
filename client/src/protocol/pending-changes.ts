/**
 * What this device has changed and the server has not yet confirmed. It is kept, and sent again on each new socket, until the
 * server says it back, refuses it, or shows by a `sync` that it is so. Pure.
 */
import type { ClientMessage, ItemId, LiveItem } from './bindings'

interface PendingShare {
  readonly told: ClientMessage
  /** The content as text, to know this version's echo from that of another version. */
  readonly version: string
  /** Another version came from the server and was not shown. */
  hidAnother: boolean
}

export class PendingChanges {
  readonly #shares = new Map<ItemId, PendingShare>()
  readonly #deletions = new Map<ItemId, ClientMessage>()

  /** An item is shared or changed. Answers what to tell the server. */
  share(id: ItemId, message: unknown, extra: string): ClientMessage {
    const told: ClientMessage = { type: 'share_clipboard', message, extra, id }
    // The newest wish counts: an item that is shared again is not deleted any more.
    this.#deletions.delete(id)
    this.#shares.set(id, { told, version: versionOf(message, extra), hidAnother: false })
    return told
  }

  /** An item is deleted. Answers what to tell the server. */
  delete(id: ItemId, message: unknown): ClientMessage {
    const told: ClientMessage = { type: 'delete_note', message, id }
    this.#shares.delete(id)
    this.#deletions.set(id, told)
    return told
  }

  /** Everything that the server may not have heard, deletions first. */
  messages(): readonly ClientMessage[] {
    return [...this.#deletions.values(), ...[...this.#shares.values()].map(({ told }) => told)]
  }

  deletions(): readonly ItemId[] {
    return [...this.#deletions.keys()]
  }

  /** The server sent an item. Answers whether it is news; it is none while a newer wish of this device is on its way. */
  received({ id, message, extra }: LiveItem): boolean {
    if (this.#deletions.has(id)) return false
    const share = this.#shares.get(id)
    if (!share) return true
    const isEcho = share.version === versionOf(message, extra)
    if (isEcho) this.#shares.delete(id)
    else share.hidAnother = true
    return isEcho
  }

  /** The server says that an item is deleted. Answers whether that is news. */
  deleted(id: ItemId): boolean {
    this.#deletions.delete(id)
    return !this.#shares.has(id)
  }

  /** The server refused what was asked of an item. Answers whether this page no longer shows what the server has of it. */
  refused(id: ItemId): boolean {
    const isHidden = this.#deletions.has(id) || this.#shares.get(id)?.hidAnother === true
    this.#deletions.delete(id)
    this.#shares.delete(id)
    return isHidden
  }

  /** Everything that the server has. Of the deletions that it was told before, those that it shows to be done are confirmed. */
  synced(items: readonly LiveItem[], toldBefore: readonly ItemId[]): readonly LiveItem[] {
    const there = new Set(items.map(({ id }) => id))
    for (const id of toldBefore) if (!there.has(id)) this.#deletions.delete(id)
    return items.flatMap((item) => this.#withPending(item))
  }

  /** The item as it will be once the server has heard everything. */
  #withPending(item: LiveItem): LiveItem | [] {
    if (this.#deletions.has(item.id)) return []
    const told = this.#shares.get(item.id)?.told
    return told?.type === 'share_clipboard' ? { ...item, message: told.message, extra: told.extra } : item
  }
}

/** Two versions are the same when their JSON is: the server sends a content back byte for byte (S7). */
function versionOf(message: unknown, extra: string): string {
  return JSON.stringify([message, extra])
}
