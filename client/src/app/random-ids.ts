/** Random ids that also work on plain-http pages, which have no `crypto.randomUUID`. */
import type { ItemId } from '../protocol/bindings'
import { readUuid } from '../protocol/frames'

/** Returns a version-4 UUID (RFC 9562, section 5.4). */
export function newItemId(): ItemId {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return readUuid(bytes) as ItemId
}
