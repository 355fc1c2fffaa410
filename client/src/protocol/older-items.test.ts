import { expect, it } from 'vitest'
import type { DeviceId, ItemId, LiveItem } from './bindings'
import { type OlderMessage, olderPage } from './older-items'

const item = (seq: number, message: string, extra = 'text'): LiveItem => ({
  id: `${seq}` as ItemId,
  message,
  extra,
  seq,
  from: 'ada' as DeviceId,
  at: 0,
})
type Page = Extract<OlderMessage, { have: 'older' }>
const page = (...items: LiveItem[]) => olderPage(items) as Page

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

it('s29_an_envelope_that_could_not_be_sealed_again_is_left_out_and_what_is_older_is_not', () => {
  const envelope = (characters: number) => `e2e1.${'A'.repeat(characters)}`
  expect(page(item(3, envelope(220_000)), item(2, envelope(180_000)), item(1, 'x'))).toMatchObject({
    items: [{ seq: 2 }],
    next: 2,
  })
  expect(page(item(3, envelope(220_000)))).toMatchObject({ items: [], next: null })
  expect(page(item(3, 'A'.repeat(220_000)))).toMatchObject({ items: [{ seq: 3 }] })
})
