/** The copies in clear text of sealed items, which plain devices get (E12). */
import type { DeviceId, ItemId, LiveItem } from './bindings'
import { readUuid, writeUuid } from './frames'

const ID_BYTES = 16

/** The address of a picture that a note has as an item of its own. */
const PICTURE = /^item:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * Returns the id of the copy of an item that one device sends another: the three ids combined by exclusive or. So a page that was
 * reloaded knows its copies, an edit replaces the copy, and the copies that several devices make are different items.
 */
export function copyId(id: ItemId, from: DeviceId, to: DeviceId): ItemId {
  const [sender, taker] = [bytesOf(from), bytesOf(to)]
  const combined = bytesOf(id).map((byte, at) => byte ^ (sender[at] ?? 0) ^ (taker[at] ?? 0))
  return readUuid(combined) as ItemId
}

/** Returns the item of which another one would be the copy; null for one that everybody has. */
export function originalOf({ id, from, to }: Pick<LiveItem, 'id' | 'from' | 'to'>): ItemId | null {
  return to === undefined ? null : copyId(id, from, to)
}

/** Returns a message without what concerns a sealed file: its key, and the stored copy that only the key opens (E7). */
export function clearMessage(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('file' in message)) return message
  const { file, ...rest } = message
  if (typeof file !== 'object' || file === null || !('seal' in file)) return message
  const { seal: _seal, url: _url, ...facts } = file as Record<string, unknown>
  return { ...rest, file: facts }
}

/**
 * Returns the message of the copy that one device sends another: that of the item, where the pictures in a note are the copies that
 * the device has of them.
 */
export function copyMessage(message: unknown, from: DeviceId, to: DeviceId): unknown {
  const clear = clearMessage(message)
  if (typeof clear !== 'object' || clear === null) return clear
  return JSON.parse(JSON.stringify(clear), (key: string, value: unknown) => {
    const [, picture] = (key === 'src' && typeof value === 'string' && PICTURE.exec(value)) || []
    return picture === undefined ? value : `item:${copyId(picture as ItemId, from, to)}`
  })
}

function bytesOf(uuid: string): Uint8Array {
  const bytes = new Uint8Array(ID_BYTES)
  writeUuid(bytes, 0, uuid)
  return bytes
}
