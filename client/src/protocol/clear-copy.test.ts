import { expect, it } from 'vitest'
import type { DeviceId, ItemId } from './bindings'
import { clearMessage, copyId, copyMessage, originalOf } from './clear-copy'

const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const ADA = '11234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const BOB = '21234567-89ab-8cde-8f01-23456789abcd' as DeviceId
const OLD = '41234567-89ab-8cde-8f01-23456789abcd' as DeviceId

it('e12_the_copies_of_two_devices_for_two_others_are_different_items_and_lead_back_to_theirs', () => {
  const pairs = [ADA, BOB].flatMap((from) => [OLD, ITEM as string as DeviceId].map((to) => ({ from, to })))
  const copies = pairs.map(({ from, to }) => copyId(ITEM, from, to))
  expect(new Set([ITEM, ...copies]).size).toBe(5)
  expect(pairs.map((pair, at) => originalOf({ ...pair, id: copies[at] as ItemId }))).toEqual(
    pairs.map(() => ITEM),
  )
})

it('an_item_that_everybody_has_is_no_copy', () => {
  expect(originalOf({ id: ITEM, from: ADA })).toBeNull()
})

it('e12_the_copy_of_a_sealed_file_has_neither_its_key_nor_its_sealed_copy', () => {
  const file = { name: 'a.png', size: 3, type: 'image/png', batch: { id: ITEM, count: 2, index: 0 } }
  const sealed = { file: { ...file, url: '/api/uploads/1', seal: { key: 'k', salt: 's' } }, base: 1 }
  expect(clearMessage(sealed)).toEqual({ file, base: 1 })
  for (const other of ['text', null, 3, { title: 'a' }, { file: null }, { file }]) {
    expect(clearMessage(other)).toEqual(other)
  }
})

it('e12_the_copy_of_a_note_shows_the_copies_of_its_pictures', () => {
  const note = (src: string) => ({
    title: 'item:',
    content: { root: { children: [{ type: 'image', src }] } },
  })
  expect(copyMessage(note(`item:${ITEM}`), ADA, OLD)).toEqual(note(`item:${copyId(ITEM, ADA, OLD)}`))
  for (const other of [
    note('data:image/png;base64,AAAA'),
    note('item:7'),
    { title: `item:${ITEM}` },
    'text',
    null,
  ]) {
    expect(copyMessage(other, ADA, OLD)).toEqual(other)
  }
})
