/** What is inside the envelopes of items, deletions and signals (E3, E4, E5). */
import * as v from 'valibot'
import type { DeviceId, ItemId } from './bindings'
import { parseJson } from './envelope'
import { addressee } from './item'

/** How every envelope begins (E2). */
const ENVELOPE = 'e2e1.'

/** What is inside the envelope of an item. */
export interface SealedContent {
  readonly id: ItemId
  /** The device that sealed it. */
  readonly from: DeviceId
  readonly extra: string
  readonly message: unknown
  readonly to?: DeviceId
  /** It came in clear text first, so the server could have made it up (E12). */
  readonly wasClear?: true
}

const id = v.pipe(v.string(), v.uuid())

const itemSchema = v.object({
  id,
  from: id,
  extra: v.string(),
  message: v.unknown(),
  to: v.optional(id),
  wasClear: v.optional(v.boolean()),
})
const storedSchema = v.object({ file: v.object({ url: v.string() }) })
const deletionSchema = v.object({ id })
const signalSchema = v.object({ from: id, to: id, message: v.unknown() })

/** Whether a message is an envelope. What is in it is not certain before it is open. */
export function isEnvelope(message: unknown): message is string {
  return typeof message === 'string' && message.startsWith(ENVELOPE)
}

/** How the item begins that has the keys of a kept beam (E10). */
const KEPT_KEYS = 'e2k1.'

/** Returns what is sealed in an item that has the keys of a kept beam; null for any other. */
export function keptKeysIn(message: unknown): string | null {
  return typeof message === 'string' && message.startsWith(KEPT_KEYS) ? message.slice(KEPT_KEYS.length) : null
}

export function keptKeysMessage(sealed: string): string {
  return KEPT_KEYS + sealed
}

/** Before the id of the stored copy, behind an envelope (E7): the server has to know how long the copy is needed. */
const COPY_MARK = '#'
const UPLOADS = '/api/uploads/'

/** Returns the message of a sealed item, which names the stored copy of its file where there is one. */
export function withCopy(envelope: string, message: unknown): string {
  const url = urlOf(message)
  return url?.startsWith(UPLOADS) ? envelope + COPY_MARK + url.slice(UPLOADS.length) : envelope
}

/** Parts a message into its envelope and the id of the stored copy that it names; null where it names none. */
export function partEnvelope(message: string): { readonly envelope: string; readonly copy: string | null } {
  const [envelope = '', copy = null] = message.split(COPY_MARK)
  return { envelope, copy }
}

/** Returns the content of a file without a stored copy that the server does not name any more. */
export function withoutGoneCopy(message: unknown, copy: string | null): unknown {
  const url = urlOf(message)
  if (url === null || url === UPLOADS + copy) return message
  const { file, ...rest } = message as { file: Record<string, unknown> }
  const { url: _gone, ...facts } = file
  return { ...rest, file: facts }
}

function urlOf(message: unknown): string | null {
  const parsed = v.safeParse(storedSchema, message)
  return parsed.success ? parsed.output.file.url : null
}

/** Returns null for what is no item. */
export function readSealedItem(text: string): SealedContent | null {
  const parsed = v.safeParse(itemSchema, parseJson(text))
  if (!parsed.success) return null
  const { extra, message, to, wasClear } = parsed.output
  const [itemId, from] = [parsed.output.id as ItemId, parsed.output.from as DeviceId]
  const mark = wasClear === true && { wasClear }
  return { id: itemId, from, extra, message, ...addressee(to as DeviceId | undefined), ...mark }
}

/** Returns the item that a deletion names; null for what is no deletion. */
export function readSealedDeletion(text: string): ItemId | null {
  const parsed = v.safeParse(deletionSchema, parseJson(text))
  return parsed.success ? (parsed.output.id as ItemId) : null
}

/** Returns null for what is no signal. */
export function readSealedSignal(text: string): { from: string; to: string; message: unknown } | null {
  const parsed = v.safeParse(signalSchema, parseJson(text))
  return parsed.success ? { ...parsed.output, message: parsed.output.message } : null
}
