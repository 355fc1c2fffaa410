/**
 * The messages by which a device asks another one for the items that the server has dropped for lack of room (S29). They
 * travel as signals, which the server forwards unread.
 */
import * as v from 'valibot'
import type { ItemId, LiveItem } from './bindings'
import { parseJson } from './envelope'
import { liveItemSchema } from './schemas'

/** Most items of one page, and most bytes of their list as it is sent (UTF-8) unless a single one is larger. */
const PAGE_ITEMS = 100
const PAGE_BYTES = 128 * 1024
/** Bytes that a list adds to its items, in all and for each but the last. */
const [BRACKETS, COMMA] = [2, 1]
/**
 * Characters of one part of a page. Each is three bytes at most where the JSON text is text in JSON again, so a part fits into a
 * message also once it is sealed.
 */
const PART_CHARACTERS = 40_000
/** More than the longest item has, in whatever form its sender wrote its numbers. */
const MOST_PARTS = 32

/** The items, newest first. `next` is the number to ask for the next page with; null at the end. */
export interface OlderPage {
  have: 'older'
  items: readonly LiveItem[]
  next: number | null
}

/** A part of a page of one item that could be too long for a message: of its JSON text. `at` counts from 0. */
export interface OlderPart {
  have: 'older'
  part: string
  at: number
  of: number
}

export type OlderMessage = { ask: 'older'; before: number } | OlderPage | OlderPart

const number = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const pageSchema = v.object({
  have: v.literal('older'),
  items: v.pipe(v.array(liveItemSchema), v.maxLength(PAGE_ITEMS)),
  next: v.nullable(number),
})
const partSchema = v.pipe(
  v.object({
    have: v.literal('older'),
    part: v.pipe(v.string(), v.maxLength(PART_CHARACTERS)),
    at: number,
    of: v.pipe(number, v.maxValue(MOST_PARTS)),
  }),
  v.check(({ at, of }) => at < of),
)
const messageSchema = v.union([v.object({ ask: v.literal('older'), before: number }), pageSchema, partSchema])

/** Reads a signal; null when it is about something else. */
export function readOlder(message: unknown): OlderMessage | null {
  const parsed = v.safeParse(messageSchema, message)
  return parsed.success ? (parsed.output as OlderMessage) : null
}

/** Returns the messages that bring the first page of items, which come newest first. */
export function olderAnswer(items: readonly LiveItem[]): readonly OlderMessage[] {
  const page = olderPage(items)
  return sizeOf(page.items) > PAGE_BYTES ? partsOf(page) : [page]
}

/** Returns the page that its parts make together; null when they make none. */
export function joinParts(parts: readonly string[]): OlderPage | null {
  const parsed = v.safeParse(pageSchema, parseJson(parts.join('')))
  return parsed.success ? (parsed.output as OlderPage) : null
}

function partsOf(page: OlderPage): readonly OlderPart[] {
  const text = JSON.stringify(page)
  const of = Math.ceil(text.length / PART_CHARACTERS)
  return Array.from({ length: of }, (_, at) => {
    const part = text.slice(at * PART_CHARACTERS, (at + 1) * PART_CHARACTERS)
    return { have: 'older', part, at, of }
  })
}

function olderPage(items: readonly LiveItem[]): OlderPage {
  const page: LiveItem[] = []
  let bytes = BRACKETS
  for (const item of items) {
    bytes += sizeOf(item) + COMMA
    const isFull = page.length === PAGE_ITEMS || (bytes - COMMA > PAGE_BYTES && page.length > 0)
    if (isFull) return { have: 'older', items: page, next: page.at(-1)?.seq ?? null }
    page.push(item)
  }
  return { have: 'older', items: page, next: null }
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

/** Returns those items of a page that may be taken: older ones of the beam that are not here. */
export function acceptable(
  items: readonly LiveItem[],
  before: number,
  isHere: (id: ItemId) => boolean,
): readonly LiveItem[] {
  return items.filter(({ id, seq }) => Number.isSafeInteger(seq) && seq < before && !isHere(id))
}
