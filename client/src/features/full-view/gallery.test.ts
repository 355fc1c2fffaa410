import { expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, type Item, liveItem } from '../../protocol/item'
import { cardsOf } from '../../stores/cards'
import { inOrder } from './gallery'

const BATCH = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId

const file = (id: string, index?: number): Item => {
  const batch = index === undefined ? {} : { batch: { id: BATCH, count: 2, index } }
  const message = fileItemMessage({ name: id, size: 1, type: '', ...batch })
  return liveItem({ id: id as ItemId, ...message, seq: 1, from: 'ada' as DeviceId, at: 0 }, null)
}

it.each([
  ['oldest-first', ['a', 'x', 'y', 'b']],
  ['newest-first', ['b', 'x', 'y', 'a']],
] as const)('f14_the_next_file_within_a_batch_is_its_next_one (%s)', (order, ids) => {
  // Another file came between, and the second file of the batch came first.
  const cards = cardsOf([file('a'), file('y', 1), file('b'), file('x', 0)])
  expect(inOrder(cards, order).map(({ id }) => id)).toEqual(ids)
})
