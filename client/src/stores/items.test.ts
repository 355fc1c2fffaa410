import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { type Item, parseContent } from '../protocol/item'
import { type ItemsEvent, type ItemsState, reduceItems } from './items'

const live = (id: string, seq: number, message = id): LiveItem => ({
  id: id as ItemId,
  seq,
  from: 'd' as DeviceId,
  at: seq,
  extra: 'text',
  message,
})
const note = (id: string, seq: number, message = id, mine = false): Item => ({
  ...live(id, seq, message),
  content: parseContent(message, 'text'),
  note: { mine },
})
const given = (...events: ItemsEvent[]): ItemsState =>
  events.reduce(reduceItems, { items: [], epoch: null } as ItemsState)
const texts = ({ items }: ItemsState) => items.map(({ message }) => message)

describe('the notes among the items', () => {
  it('stand in the order of the beam, once each', () => {
    const state = given(
      { type: 'received', item: live('b', 2) },
      { type: 'received', item: live('c', 3) },
      { type: 'notes', notes: [note('a', 1), note('b', 2)] },
    )
    expect(texts(state)).toEqual(['a', 'b', 'c'])
    expect(state.items.map((item) => item.note !== null)).toEqual([true, true, false])
  })

  it('do not undo a change that came live in the meantime', () => {
    const state = given(
      { type: 'received', item: live('a', 5, 'new words') },
      { type: 'notes', notes: [note('a', 1, 'old words', true)] },
    )
    expect(texts(state)).toEqual(['new words'])
    expect(state.items[0]?.note).toEqual({ mine: true })
  })

  it('go when the list has them no more', () => {
    const state = given(
      { type: 'notes', notes: [note('a', 1), note('b', 2)] },
      { type: 'notes', notes: [note('b', 2)] },
    )
    expect(texts(state)).toEqual(['b'])
  })

  it('stay when they came after the list was read', () => {
    const state = given(
      { type: 'received', item: live('b', 2), note: { mine: false } },
      { type: 'notes', notes: [note('a', 1)] },
    )
    expect(texts(state)).toEqual(['a', 'b'])
  })

  it('keep whose they are when the rest is synced', () => {
    const state = given(
      { type: 'notes', notes: [note('a', 1, 'a', true)] },
      { type: 'synced', epoch: 'e', oldest: 1, items: [live('a', 1), live('b', 2)], note: { mine: false } },
    )
    expect(state.items.map((item) => item.note)).toEqual([{ mine: true }, { mine: false }])
  })

  it('go with the connection; what is only live stays', () => {
    const state = given(
      { type: 'notes', notes: [note('a', 1)] },
      { type: 'received', item: live('b', 2) },
      { type: 'notesGone' },
    )
    expect(texts(state)).toEqual(['b'])
  })
})

describe('a change of an item', () => {
  const changed = (state: ItemsState) =>
    reduceItems(state, { type: 'shared', id: 'a' as ItemId, message: 'new', extra: 'text', at: 9 })
  const two = () => given({ type: 'received', item: live('a', 1) }, { type: 'received', item: live('b', 2) })

  it('keeps its place, before and after the server has it', () => {
    const state = changed(two())
    expect(texts(state)).toEqual(['new', 'b'])
    expect(texts(reduceItems(state, { type: 'received', item: live('a', 3, 'new') }))).toEqual(['new', 'b'])
  })

  it('of somebody else keeps its place too, and what comes next comes last', () => {
    const state = [live('a', 3, 'newer'), live('c', 4)].reduce(
      (sum, item) => reduceItems(sum, { type: 'received', item }),
      two(),
    )
    expect(texts(state)).toEqual(['newer', 'b', 'c'])
  })

  it('of a note leaves it a note of whoever it was', () => {
    const state = changed(given({ type: 'notes', notes: [note('a', 1, 'a', true)] }))
    expect(state.items[0]).toMatchObject({ message: 'new', seq: 1, note: { mine: true } })
  })

  it('is not undone by a list of notes that is older', () => {
    const state = changed(given({ type: 'notes', notes: [note('a', 1)] }))
    expect(texts(reduceItems(state, { type: 'notes', notes: [note('a', 1)] }))).toEqual(['new'])
  })
})
