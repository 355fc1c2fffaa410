import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, type Item, liveItem, pendingItem, textMessage } from '../protocol/item'
import { cardsOf, isBatch, itemsOfCards } from './cards'

const BATCH = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId
const ADA = 'ada' as DeviceId
const EVE = 'eve' as DeviceId

const text = (id: string): Item => {
  const { message, extra } = textMessage(id)
  return pendingItem(id as ItemId, message, extra, 0)
}
const file = (id: string, index: number, { from = ADA as DeviceId | null, seq = index } = {}): Item => {
  const described = { name: `${id}.bin`, size: 1, type: '', batch: { id: BATCH, count: 3, index } }
  const live = { id: id as ItemId, ...fileItemMessage(described), seq, from: ADA, at: 0 }
  return { ...liveItem(live, null), from }
}
const shown = (items: readonly Item[]) =>
  cardsOf(items).map((card) => (isBatch(card) ? card.content.files.map(({ id }) => id) : card.id))

describe('the cards of a beam', () => {
  it('f14_have_the_files_of_a_batch_together_where_the_first_of_them_is', () => {
    const items = [text('a'), file('x', 0), text('b'), file('y', 1), file('z', 2)]
    expect(shown(items)).toEqual(['a', ['x', 'y', 'z'], 'b'])
    expect(cardsOf(items)[1]?.id).toBe(BATCH)
  })

  it('f14_have_the_files_in_the_order_in_which_they_were_chosen', () => {
    expect(shown([file('z', 2, { seq: 1 }), file('x', 0, { seq: 2 })])).toEqual([['x', 'z']])
  })

  it('f14_leave_out_of_a_batch_what_another_device_shares_under_its_id', () => {
    expect(shown([file('x', 0), file('evil', 1, { from: EVE }), file('y', 2)])).toEqual([['x', 'y'], 'evil'])
    expect(shown([file('x', 0), file('sent just now', 1, { from: null })])).toEqual([['x', 'sent just now']])
  })

  it('s33_are_for_one_device_when_all_files_of_a_batch_are', () => {
    const forEve = (item: Item): Item => ({ ...item, to: EVE })
    const [batch] = cardsOf([forEve(file('x', 0)), forEve(file('y', 1))])
    expect(batch?.to).toBe(EVE)
    const mixed = [forEve(file('x', 0)), file('for all', 1), forEve(file('y', 2))]
    expect(shown(mixed)).toEqual([['x', 'y'], 'for all'])
  })

  it('f14_never_have_the_id_of_a_batch_twice', () => {
    expect(shown([text(BATCH), file('x', 0), file('y', 1)])).toEqual([BATCH, 'x', 'y'])
  })

  it('stay the same objects while their files are the same', () => {
    const files = [file('x', 0), file('y', 1)]
    const [before] = cardsOf([...files])
    expect(cardsOf([...files, text('a')])[0]).toBe(before)
    expect(cardsOf([...files, file('z', 2)])[0]).not.toBe(before)
  })

  it('stand for their items: a batch for all of its files', () => {
    const items = [text('a'), file('x', 0), text('b'), file('y', 1)]
    const ids = (...cards: string[]) => itemsOfCards(items, cards as ItemId[]).map(({ id }) => id)
    expect(ids(BATCH, 'b')).toEqual(['x', 'b', 'y'])
    expect(ids('x')).toEqual(['x'])
  })
})
