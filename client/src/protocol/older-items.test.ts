import { expect, it } from 'vitest'
import { type DeviceId, type ItemId, type LiveItem, MAX_MESSAGE_BYTES } from './bindings'
import { joinParts, type OlderMessage, type OlderPart, olderAnswer, readOlder } from './older-items'

const item = (seq: number, message: string, extra = 'text'): LiveItem => ({
  id: `0000000${seq % 10}-0000-4000-8000-000000000000` as ItemId,
  message,
  extra,
  seq,
  from: '00000001-0000-8000-8000-000000000000' as DeviceId,
  at: 0,
})
type Page = Extract<OlderMessage, { items: unknown }>
const page = (...items: LiveItem[]) => olderAnswer(items)[0] as Page
const parts = (...items: LiveItem[]) => olderAnswer(items) as readonly OlderPart[]
const sizeOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

it('s29_a_page_is_bounded_by_its_bytes_as_sent_not_by_its_characters', () => {
  const wide = page(item(3, '…'.repeat(30_000)), item(2, '…'.repeat(30_000)), item(1, 'x'))
  expect(wide).toMatchObject({ items: [{ seq: 3 }], next: 3 })
})

it('s29_a_page_counts_everything_that_an_item_has', () => {
  const many = Array.from({ length: 100 }, (_, at) => item(100 - at, 'x'.repeat(1_000), 'k'.repeat(400)))
  const { items, next } = page(...many)
  const bytes = new TextEncoder().encode(JSON.stringify(items)).length
  expect(bytes).toBeLessThanOrEqual(128 * 1024)
  expect(next).toBe(items.at(-1)?.seq)
  expect(bytes + new TextEncoder().encode(`,${JSON.stringify(many[items.length])}`).length).toBeGreaterThan(
    128 * 1024,
  )
})

it.each([
  ['letters', 'A'],
  ['what JSON escapes', '"\\'],
  ['signs of four bytes, of which one may be cut in two', '\u{1f34b}'],
])('s29_an_item_that_could_be_too_long_for_a_message_comes_in_parts: %s', (_, text) => {
  const large = item(3, `a${text.repeat(150_000 / text.length)}`)
  const cut = parts(large, item(2, 'x'))
  expect(cut.map(({ at, of }) => [at, of])).toEqual(cut.map((_, at) => [at, cut.length]))
  expect(cut.length).toBeGreaterThan(1)
  for (const part of cut) {
    expect(sizeOf(part)).toBeLessThan(MAX_MESSAGE_BYTES / 2)
    expect(readOlder(part)).toEqual(part)
  }
  const carried = JSON.parse(JSON.stringify(cut)) as readonly OlderPart[]
  const joined = joinParts(carried.map(({ part }) => part))
  // Neither is printed where they differ.
  expect(joined?.items.map(({ message }) => message === large.message)).toEqual([true])
  expect(joined).toMatchObject({ have: 'older', items: [{ id: large.id, seq: 3 }], next: 3 })
})

it('s29_parts_that_make_no_page_and_more_of_them_than_any_item_has_are_nothing', () => {
  expect(joinParts(['{"have":', '"older"}'])).toBeNull()
  expect(joinParts(['{"have":'])).toBeNull()
  const part = { have: 'older', part: 'x', at: 0, of: 1 }
  expect(readOlder(part)).toEqual(part)
  for (const wrong of [{ at: 1 }, { of: 33 }, { part: 'x'.repeat(40_001) }])
    expect(readOlder({ ...part, ...wrong })).toBeNull()
})
