/** What is inside the envelopes of items, deletions and signals (E3, E4, E5). */
import * as v from 'valibot'
import type { DeviceId, ItemId } from './bindings'
import { parseJson } from './envelope'
import { addressee } from './item'

/** How every envelope begins (E2). */
const ENVELOPE = 'e2e1.'

/** What an item is, apart from when it was sealed. */
export interface SealedContent {
  readonly id: ItemId
  readonly extra: string
  readonly message: unknown
  readonly to?: DeviceId
}

/** The content of an item as its envelope has it. */
export interface SealedItem extends SealedContent {
  /** When it was sealed, in milliseconds since the Unix epoch by the clock of the device that did. */
  readonly at: number
}

const id = v.pipe(v.string(), v.uuid())
const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const itemSchema = v.object({
  id,
  extra: v.string(),
  message: v.unknown(),
  to: v.optional(id),
  at: time,
})
const deletionSchema = v.object({ id, at: time })
const signalSchema = v.object({ from: id, to: id, message: v.unknown() })

/** Whether a message is an envelope. What is in it is not certain before it is open. */
export function isEnvelope(message: unknown): message is string {
  return typeof message === 'string' && message.startsWith(ENVELOPE)
}

/** Returns null for what is no item. */
export function readSealedItem(text: string): SealedItem | null {
  const parsed = v.safeParse(itemSchema, parseJson(text))
  if (!parsed.success) return null
  const { extra, message, at, to } = parsed.output
  return { id: parsed.output.id as ItemId, extra, message, at, ...addressee(to as DeviceId | undefined) }
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
