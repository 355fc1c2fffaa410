/**
 * The messages by which a device asks another one for the items that the server has dropped for lack of room (S29). They
 * travel as signals, which the server forwards unread.
 */
import * as v from 'valibot'
import type { ItemId, LiveItem } from './bindings'
import { liveItemSchema } from './schemas'
import { isEnvelope } from './sealed-item'

/** Most items of one page, and most bytes of their list as it is sent (UTF-8) unless a single one is larger. */
const PAGE_ITEMS = 100
const PAGE_BYTES = 128 * 1024
/** An item that is larger may not fit into a message once the page is sealed: padding and base64 make it a third larger. */
const SEALED_ITEM_BYTES = 187 * 1024
/** Bytes that a list adds to its items, in all and for each but the last. */
const [BRACKETS, COMMA] = [2, 1]

export type OlderMessage =
  | { ask: 'older'; before: number }
  /** The items, newest first. `next` is the number to ask for the next page with; null at the end. */
  | { have: 'older'; items: readonly LiveItem[]; next: number | null }

const number = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const messageSchema = v.union([
  v.object({ ask: v.literal('older'), before: number }),
  v.object({
    have: v.literal('older'),
    items: v.pipe(v.array(liveItemSchema), v.maxLength(PAGE_ITEMS)),
    next: v.nullable(number),
  }),
])

/** Reads a signal; null when it is about something else. */
export function readOlder(message: unknown): OlderMessage | null {
  const parsed = v.safeParse(messageSchema, message)
  return parsed.success ? (parsed.output as OlderMessage) : null
}

/**
 * Returns the first page of items, which come newest first. A sealed one that is too large to be sealed again is left out, so that
 * the older ones come.
 */
export function olderPage(items: readonly LiveItem[]): OlderMessage {
  const page: LiveItem[] = []
  let bytes = BRACKETS
  for (const item of items) {
    const size = new TextEncoder().encode(JSON.stringify(item)).length
    if (isEnvelope(item.message) && size > SEALED_ITEM_BYTES) continue
    bytes += size + COMMA
    const isFull = page.length === PAGE_ITEMS || (bytes - COMMA > PAGE_BYTES && page.length > 0)
    if (isFull) return { have: 'older', items: page, next: page.at(-1)?.seq ?? null }
    page.push(item)
  }
  return { have: 'older', items: page, next: null }
}

/** Returns those items of a page that may be taken: older ones of the beam that are not here. */
export function acceptable(
  items: readonly LiveItem[],
  before: number,
  isHere: (id: ItemId) => boolean,
): readonly LiveItem[] {
  return items.filter(({ id, seq }) => Number.isSafeInteger(seq) && seq < before && !isHere(id))
}
