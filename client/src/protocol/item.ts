/** Items as plain values, and their form in `share_clipboard`. */
import * as v from 'valibot'
import { type DeviceId, type ItemId, type LiveItem, MAX_BATCH_FILES } from './bindings'
import { type ManifestFacts, parseManifestFacts } from './manifest'
import { displayName } from './names'
import { plainText, RICH_NOTE, type RichNote, readRichNote } from './rich-note'

/** The first part of a media type where the client treats it specially, else `file`. */
export type FileCategory = 'image' | 'audio' | 'video' | 'file'

/** What the message of a file says of it (F1). `batch` is absent for a file that was shared alone (F14). */
export interface FileFacts {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly type: string
  /** When its bytes were changed last, in milliseconds since the Unix epoch; absent where that is not known. */
  readonly modified?: number | undefined
  readonly batch?: BatchPart | undefined
  /** Present when the bytes are many files with a manifest (F16). */
  readonly manifest?: ManifestFacts | undefined
  /** Present when the bytes travel and are stored sealed (E7). */
  readonly seal?: FileSeal | undefined
}

/** The secrets by which the bytes of one file are sealed (E7), as base64url: 32 bytes of key and 24 of salt. */
export interface FileSeal {
  readonly key: string
  readonly salt: string
}

/** The place of a file among those that were shared together (F14). `index` counts from 0. */
export interface BatchPart {
  readonly id: ItemId
  readonly count: number
  readonly index: number
}

export type ItemContent =
  | { kind: 'text'; text: string }
  | { kind: 'link'; url: string; host: string; path: string }
  /** `url` is the address of the server's copy (F9); null when only devices have the bytes (F1). */
  | ({ kind: 'file'; category: FileCategory; url: string | null } & FileFacts)
  | ({ kind: typeof RICH_NOTE } & RichNote)
  /** An item of another version or of a plain client, shown as text. */
  | { kind: 'unknown'; extra: string; text: string }

export interface Item {
  readonly id: ItemId
  /** Position in the beam (S8); null until the server has assigned it. */
  readonly seq: number | null
  /** The device that shared it; null until the server has said which. */
  readonly from: DeviceId | null
  /**
   * Milliseconds since the Unix epoch: by the server's clock once the server has the item, before that by this
   * device's.
   */
  readonly at: number
  readonly content: ItemContent
  /** The item's `message` as on the wire, for deleting it by content (S10). */
  readonly message: unknown
  readonly extra: string
  readonly note: NoteMark
  /** The only other device that has it (S33); absent for an item that everybody has. */
  readonly to?: DeviceId
  /** It came in clear text to a page that seals, at first at least (E12): the server could read it, or have made it up. */
  readonly isClear?: true
  /**
   * The devices that this device's person had chosen to send in clear text to when it was shared (E12). Absent where there were none,
   * and once the server has the item.
   */
  readonly inClearTo?: readonly DeviceId[]
  /** This device has changed it, and the server does not have that yet. `seq` is that of the version before. */
  readonly isChanged?: true
  /**
   * Why the server refused the item or this version of it (S14), as a sentence to show. Only the sharing device has it.
   */
  readonly refusal?: string
}

/** Set when the server stores the item as a note of a saved beam. `mine`: this account shared it. */
export type NoteMark = { readonly mine: boolean } | null

/** The marks of the notes of a saved beam. */
export type NoteMarks = ReadonlyMap<ItemId, NoteMark>

const fileMessage = v.object({
  file: v.object({
    name: v.pipe(v.string(), v.maxLength(1024)),
    size: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    type: v.pipe(v.string(), v.maxLength(255)),
    modified: v.optional(v.unknown()),
    url: v.optional(v.unknown()),
    batch: v.optional(v.unknown()),
    manifest: v.optional(v.unknown()),
    seal: v.optional(v.unknown()),
  }),
})

// Bits beyond the last byte would be a second way to write the same key.
const fileSeal = v.object({
  key: v.pipe(v.string(), v.regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/)),
  salt: v.pipe(v.string(), v.regex(/^[\w-]{32}$/)),
})

const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const batchPart = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.uuid()),
    count: v.pipe(v.number(), v.safeInteger(), v.minValue(2), v.maxValue(MAX_BATCH_FILES)),
    index: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  }),
  v.check(({ count, index }) => index < count),
)

/** Makes the item that this device shares, before the server has it. */
export function pendingItem(
  id: ItemId,
  message: unknown,
  extra: string,
  at: number,
  to: DeviceId | undefined = undefined,
): Item {
  const content = parseContent(message, extra)
  return { id, message, extra, at, seq: null, from: null, content, note: null, ...addressee(to) }
}

/** Whether only this device has an item, or its version of it. What the server refused is not sent any more. */
export function isUnsent({ seq, isChanged, refusal }: Item): boolean {
  return (seq === null || isChanged === true) && refusal === undefined
}

/** Converts an item that the server sent. */
export function liveItem({ id, message, extra, seq, from, at, to }: LiveItem, note: NoteMark): Item {
  const content = parseContent(message, extra)
  // An item for one device is never stored.
  return { id, message, extra, seq, from, at, content, note: to ? null : note, ...addressee(to) }
}

/** The `to` of an item or message, absent when it is for everybody. */
export function addressee(to: DeviceId | undefined): { to?: DeviceId } {
  return to === undefined ? {} : { to }
}

// A stored copy is on this server. Any other address would make every device of the beam request it.
const STORED_URL = /^\/api\/uploads\/[0-9A-Za-z_-]{16,64}$/

/** Returns `message` and `extra` of a text item. */
export function textMessage(text: string): { message: unknown; extra: string } {
  return { message: text, extra: 'text' }
}

/** Returns `message` and `extra` of a file that the server has a copy of (F9). */
export function storedItemMessage(file: FileFacts & { url: string }): { message: unknown; extra: string } {
  return { message: { file: { ...factsOf(file), url: file.url } }, extra: fileCategory(file.type) }
}

/** Returns `message` and `extra` of a file item (F1). */
export function fileItemMessage(file: FileFacts): { message: unknown; extra: string } {
  return { message: { file: factsOf(file) }, extra: fileCategory(file.type) }
}

function factsOf({ name, size, type, modified, batch, manifest, seal }: FileFacts): FileFacts {
  const when = modified !== undefined && { modified }
  const parts = { ...(batch && { batch }), ...(manifest && { manifest }), ...(seal && { seal }) }
  return { name, size, type, ...when, ...parts }
}

/** Returns the category of a media type: its first part when known, else `file`. */
export function fileCategory(type: string): FileCategory {
  const [first] = type.split('/')
  return first === 'image' || first === 'audio' || first === 'video' ? first : 'file'
}

/** Parses the content of a `rec_clipboard`. Never fails: an unknown content is shown as text. */
export function parseContent(message: unknown, extra: string): ItemContent {
  const file = v.safeParse(fileMessage, message)
  if (file.success) {
    const { name, size, type, modified, url, batch, manifest, seal } = file.output.file
    const stored = typeof url === 'string' && STORED_URL.test(url) ? url : null
    const facts = factsOf({
      name: displayName(name),
      size,
      type,
      modified: v.is(time, modified) ? modified : undefined,
      batch: parseBatch(batch),
      manifest: parseManifestFacts(manifest, size),
      seal: v.is(fileSeal, seal) ? { key: seal.key, salt: seal.salt } : undefined,
    })
    return { kind: 'file', category: fileCategory(type), url: stored, ...facts }
  }
  if (extra === RICH_NOTE) return { kind: RICH_NOTE, ...readRichNote(message) }
  if (typeof message !== 'string') return { kind: 'unknown', extra, text: JSON.stringify(message) }
  return parseLink(message) ?? { kind: 'text', text: message }
}

function parseBatch(batch: unknown): BatchPart | undefined {
  const parsed = v.safeParse(batchPart, batch)
  return parsed.success ? { ...parsed.output, id: parsed.output.id as ItemId } : undefined
}

/** Reads a text that is exactly one http(s) address as a link; null for any other text. */
function parseLink(text: string): ItemContent | null {
  const trimmed = text.trim()
  if (!/^https?:\/\/\S+$/i.test(trimmed) || !URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  const path = `${url.pathname}${url.search}`
  return { kind: 'link', url: url.href, host: url.host, path: path === '/' ? '' : path }
}

/** Returns the text that copying an item puts on the clipboard; null for an item without text. */
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
