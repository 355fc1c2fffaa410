/**
 * Changes of this device that the server has not yet confirmed. Each is kept and sent again on every new socket until
 * the server echoes it, refuses it, or a `sync` shows that it is done.
 */
import type { ClientMessage, ItemId, LiveItem } from './bindings'

interface PendingShare {
  readonly told: ClientMessage
  /** The content as text, to tell the echo of this version from that of another. */
  readonly version: string
  /** Another version arrived from the server and was not shown. */
  hidAnother: boolean
}

export class PendingChanges {
  readonly #shares = new Map<ItemId, PendingShare>()
  readonly #deletions = new Map<ItemId, ClientMessage>()

  /** Notes that an item is shared or changed. Returns the message for the server. */
  share(id: ItemId, message: unknown, extra: string): ClientMessage {
    const told: ClientMessage = { type: 'share_clipboard', message, extra, id }
    // The newest change counts: an item that is shared again is no longer deleted.
    this.#deletions.delete(id)
    this.#shares.set(id, { told, version: versionOf(message, extra), hidAnother: false })
    return told
  }

  /** Notes that an item is deleted. Returns the message for the server. */
  delete(id: ItemId, message: unknown): ClientMessage {
    const told: ClientMessage = { type: 'delete_note', message, id }
    this.#shares.delete(id)
    this.#deletions.set(id, told)
    return told
  }

  /** Returns every message that the server may not have received, deletions first. */
  messages(): readonly ClientMessage[] {
    return [...this.#deletions.values(), ...[...this.#shares.values()].map(({ told }) => told)]
  }

  deletions(): readonly ItemId[] {
    return [...this.#deletions.keys()]
  }

  /** The server sent an item. Returns whether to show it: not while a newer change of this device is pending. */
  received({ id, message, extra }: LiveItem): boolean {
    if (this.#deletions.has(id)) return false
    const share = this.#shares.get(id)
    if (!share) return true
    const isEcho = share.version === versionOf(message, extra)
    if (isEcho) this.#shares.delete(id)
    else share.hidAnother = true
    return isEcho
  }

  /** The server says that an item is deleted. Returns whether the page has to hear of it. */
  deleted(id: ItemId): boolean {
    this.#deletions.delete(id)
    return !this.#shares.has(id)
  }

  /** The server refused a change of an item. Returns whether the page hides what the server has of it. */
  refused(id: ItemId): boolean {
    const isHidden = this.#deletions.has(id) || this.#shares.get(id)?.hidAnother === true
    this.#deletions.delete(id)
    this.#shares.delete(id)
    return isHidden
  }

  /**
   * The server's list after a `sync`, with the pending changes applied. A deletion in `toldBefore`, which was sent
   * before the `sync`, is confirmed when the list lacks its item.
   */
  synced(items: readonly LiveItem[], toldBefore: readonly ItemId[]): readonly LiveItem[] {
    const there = new Set(items.map(({ id }) => id))
    for (const id of toldBefore) if (!there.has(id)) this.#deletions.delete(id)
    return items.flatMap((item) => this.#withPending(item))
  }

  /** The item as it will be once the server has received every change. */
  #withPending(item: LiveItem): LiveItem | [] {
    if (this.#deletions.has(item.id)) return []
    const told = this.#shares.get(item.id)?.told
    return told?.type === 'share_clipboard' ? { ...item, message: told.message, extra: told.extra } : item
  }
}

/** Identifies a version by its JSON text, because the server sends a content back byte for byte (S7). */
function versionOf(message: unknown, extra: string): string {
  return JSON.stringify([message, extra])
}
