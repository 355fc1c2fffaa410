/** What is shared: plain values, and how they stand in `share_clipboard`. */
import * as v from 'valibot'
import type { DeviceId, ItemId, LiveItem } from './bindings'
import { DECEPTIVE_CLASS } from './names'
import { plainText, RICH_NOTE, type RichNote, readRichNote } from './rich-note'

/** The first part of a media type, as far as the product treats it specially. */
export type FileCategory = 'image' | 'audio' | 'video' | 'file'

export type ItemContent =
  | { kind: 'text'; text: string }
  | { kind: 'link'; url: string; host: string; path: string }
  /** `url` is where the server has a copy (F9); null when only devices have the bytes (F1). */
  | { kind: 'file'; category: FileCategory; name: string; size: number; type: string; url: string | null }
  | ({ kind: typeof RICH_NOTE } & RichNote)
  /** Something that another version or a plain client understands: shown as text. */
  | { kind: 'unknown'; extra: string; text: string }

export interface Item {
  readonly id: ItemId
  /** Place in the order of the beam; null until the server has it. */
  readonly seq: number | null
  /** Who shared it; null until the server said so. */
  readonly from: DeviceId | null
  /** Milliseconds since the Unix epoch, by the server's clock where it is known. */
  readonly at: number
  readonly content: ItemContent
  /** What stands in `message`, for deleting by content. */
  readonly message: unknown
  readonly extra: string
  readonly note: NoteMark
  /** Why the server did not take it, or this version of it, in words for the person (S14). Only this device shows it so. */
  readonly refusal?: string
}

/** Set when the server stores the item as a note of a saved beam; `mine` when this account shared it. */
export type NoteMark = { readonly mine: boolean } | null

const fileMessage = v.object({
  file: v.object({
    name: v.pipe(v.string(), v.maxLength(1024)),
    size: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    type: v.pipe(v.string(), v.maxLength(255)),
    url: v.optional(v.unknown()),
  }),
})

/** An item as this device shares it, before the server has it. */
export function pendingItem(id: ItemId, message: unknown, extra: string, at: number): Item {
  return { id, message, extra, at, seq: null, from: null, content: parseContent(message, extra), note: null }
}

/** An item as the server sent it. */
export function liveItem({ id, message, extra, seq, from, at }: LiveItem, note: NoteMark): Item {
  return { id, message, extra, seq, from, at, content: parseContent(message, extra), note }
}

// A stored copy lies on this server; whoever shares an item must not send others to fetch anything else.
const STORED_URL = /^\/api\/uploads\/[0-9A-Za-z_-]{16,64}$/

/** `message` and `extra` of a text item. */
export function textMessage(text: string): { message: unknown; extra: string } {
  return { message: text, extra: 'text' }
}

/** `message` and `extra` of a file that the server has a copy of (F9). */
export function storedItemMessage(file: { name: string; size: number; type: string; url: string }): {
  message: unknown
  extra: string
} {
  const { name, size, type, url } = file
  return { message: { file: { name, size, type, url } }, extra: fileCategory(type) }
}

/** `message` and `extra` of a file item (F1). */
export function fileItemMessage(file: { name: string; size: number; type: string }): {
  message: unknown
  extra: string
} {
  const { name, size, type } = file
  return { message: { file: { name, size, type } }, extra: fileCategory(type) }
}

/** The category of a media type: its first part, or `file`. */
export function fileCategory(type: string): FileCategory {
  const [first] = type.split('/')
  return first === 'image' || first === 'audio' || first === 'video' ? first : 'file'
}

/** Reads what stands in a `rec_clipboard`. Total: what nobody knows is shown as text. */
export function parseContent(message: unknown, extra: string): ItemContent {
  const file = v.safeParse(fileMessage, message)
  if (file.success) {
    const { name, size, type, url } = file.output.file
    const stored = typeof url === 'string' && STORED_URL.test(url) ? url : null
    return { kind: 'file', category: fileCategory(type), name: displayName(name), size, type, url: stored }
  }
  if (extra === RICH_NOTE) return { kind: RICH_NOTE, ...readRichNote(message) }
  if (typeof message !== 'string') return { kind: 'unknown', extra, text: JSON.stringify(message) }
  return parseLink(message) ?? { kind: 'text', text: message }
}

/** A text that is one http(s) address and nothing else. */
function parseLink(text: string): ItemContent | null {
  const trimmed = text.trim()
  if (!/^https?:\/\/\S+$/i.test(trimmed) || !URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  const path = `${url.pathname}${url.search}`
  return { kind: 'link', url: url.href, host: url.host, path: path === '/' ? '' : path }
}

// A name must not hide its ending or leave its folder.
const UNSAFE_IN_NAMES = new RegExp(`[${DECEPTIVE_CLASS}/\\\\]`, 'gu')

/** A name that is safe to show and to save under. */
export function displayName(name: string): string {
  const clean = name.replace(UNSAFE_IN_NAMES, '_').replace(/^\.+/, '_').trim().slice(0, 255)
  return clean === '' ? 'file' : clean
}

/** The text that copying an item puts on the clipboard, or null where there is none. */
export function copyableText(content: ItemContent): string | null {
  switch (content.kind) {
    case 'text':
    case 'unknown':
      return content.text
    case 'link':
      return content.url
    case RICH_NOTE:
      return plainText(content)
    case 'file':
      return null
  }
}
