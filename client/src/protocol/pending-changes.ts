/**
 * Changes of this device that the server has not yet confirmed. Each is kept and sent again on every new socket until
 * the server echoes it, refuses it, or a `sync` shows that it is done.
 */
import type { ClientMessage, DeviceId, ErrorCode, ItemId, LiveItem } from './bindings'
import { addressee } from './item'

/** Pauses before a change is sent again that the server could not take at that moment. The last one repeats. */
const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, 60_000]
/** The server's own troubles, which pass. Every other refusal is final. */
const PASSING: readonly ErrorCode[] = ['unavailable', 'internal']

interface PendingChange {
  readonly told: ClientMessage
  /** How often the server could not take it. */
  failures: number
  /** When to send it again, in milliseconds; null while an answer is waited for. */
  dueAt: number | null
}

interface PendingShare extends PendingChange {
  /** The content as text, to tell the echo of this version from that of another. */
  readonly version: string
  /** Another version arrived from the server and was not shown. */
  hidAnother: boolean
}

export class PendingChanges {
  readonly #shares = new Map<ItemId, PendingShare>()
  readonly #deletions = new Map<ItemId, PendingChange>()

  /** Notes that an item is shared or changed. Returns the message for the server. */
  share(id: ItemId, message: unknown, extra: string, to?: DeviceId): ClientMessage {
    const told: ClientMessage = { type: 'share_clipboard', message, extra, id, ...addressee(to) }
    // The newest change counts: an item that is shared again is no longer deleted.
    this.#deletions.delete(id)
    this.#shares.set(id, { ...unanswered(told), version: versionOf(message, extra), hidAnother: false })
    return told
  }

  /** Notes that an item is deleted. Returns the message for the server. */
  delete(id: ItemId, message: unknown, extra?: string): ClientMessage {
    const told: ClientMessage = { type: 'delete_note', message, id, ...(extra !== undefined && { extra }) }
    this.#shares.delete(id)
    this.#deletions.set(id, unanswered(told))
    return told
  }

  get isEmpty(): boolean {
    return this.#deletions.size + this.#shares.size === 0
  }

  /** Returns every message that the server may not have received, deletions first. They are to be sent now. */
  messages(): readonly ClientMessage[] {
    return tellNow(this.#changes())
  }

  /** Returns the messages that are to be sent again by now. */
  due(now: number): readonly ClientMessage[] {
    return tellNow(this.#changes().filter(({ dueAt }) => dueAt !== null && dueAt <= now))
  }

  /** When the next message is to be sent again; null when none is. */
  get nextDue(): number | null {
    const times = this.#changes().flatMap(({ dueAt }) => dueAt ?? [])
    return times.length > 0 ? Math.min(...times) : null
  }

  /** The server refused a change of an item. Returns whether it will be sent again, because the reason passes. */
  postponed(id: ItemId, why: ErrorCode, now: number): boolean {
    const change = this.#shares.get(id) ?? this.#deletions.get(id)
    if (!change || !PASSING.includes(why)) return false
    const delay = RETRY_DELAYS_MS[Math.min(change.failures, RETRY_DELAYS_MS.length - 1)] ?? 0
    change.failures += 1
    change.dueAt = now + delay
    return true
  }

  #changes(): readonly PendingChange[] {
    return [...this.#deletions.values(), ...this.#shares.values()]
  }

  shares(): readonly ItemId[] {
    return [...this.#shares.keys()]
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

  /** The server refused a change of an item for good. Returns whether the page now shows something else than the server has. */
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

function tellNow(changes: readonly PendingChange[]): readonly ClientMessage[] {
  for (const change of changes) change.dueAt = null
  return changes.map(({ told }) => told)
}

function unanswered(told: ClientMessage): PendingChange {
  return { told, failures: 0, dueAt: null }
}

/** Identifies a version by its JSON text, because the server sends a content back byte for byte (S7). */
function versionOf(message: unknown, extra: string): string {
  return JSON.stringify([message, extra])
}
