import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type Item, isUnsent, liveItem, type NoteMark, pendingItem } from '../protocol/item'
import { type ItemsEvent, type ItemsState, reduceItems } from './items'

const live = (id: string, seq: number, message = id, note: NoteMark = null): Item =>
  liveItem({ id: id as ItemId, seq, from: 'd' as DeviceId, at: seq, extra: 'text', message }, note)
const note = (id: string, seq: number, message = id, mine = false) => live(id, seq, message, { mine })
const shared = (id: string, message: string): ItemsEvent => ({
  type: 'shared',
  item: pendingItem(id as ItemId, message, 'text', 9),
})
const given = (...events: ItemsEvent[]): ItemsState =>
  events.reduce(reduceItems, { items: [], epoch: null } as ItemsState)
const texts = ({ items }: ItemsState) => items.map(({ message }) => message)

/** The list of notes (H30): each id with whether this account shared it. */
const listed = (marks: Record<string, boolean>): ItemsEvent => ({
  type: 'notes',
  marks: new Map(Object.entries(marks).map(([id, mine]) => [id as ItemId, { mine }])),
})

describe('the list of notes', () => {
  it('says whose the items are, also of those that have just become notes', () => {
    const state = given(
      { type: 'received', item: note('a', 1) },
      { type: 'received', item: live('b', 2) },
      { type: 'received', item: note('c', 3) },
      listed({ a: true, b: true }),
    )
    expect(state.items.map((item) => item.note)).toEqual([{ mine: true }, { mine: true }, { mine: false }])
  })

  it('e14_takes_no_item_away_and_adds_none', () => {
    const here = given(
      { type: 'synced', epoch: 'e', oldest: 1, saved: true, items: [note('a', 1), note('b', 2)] },
      { type: 'received', item: note('c', 3) },
      listed({ b: false, d: false }),
    )
    expect(texts(here)).toEqual(['a', 'b', 'c'])
    expect(texts(reduceItems(here, listed({})))).toEqual(['a', 'b', 'c'])
  })

  it('is kept to after a sync', () => {
    const state = given({ type: 'received', item: note('a', 1) }, listed({ a: true }), {
      type: 'synced',
      epoch: 'e',
      oldest: 1,
      saved: false,
      items: [note('a', 1), note('b', 2)],
    })
    expect(state.items.map((item) => item.note)).toEqual([{ mine: true }, { mine: false }])
  })
})

describe('notes', () => {
  it('are hidden with the connection; live items stay', () => {
    const state = given(
      { type: 'received', item: note('a', 1) },
      { type: 'received', item: live('b', 2) },
      { type: 'notesGone' },
    )
    expect(texts(state)).toEqual(['b'])
  })
})

describe('a change of an item', () => {
  const changed = (state: ItemsState) => reduceItems(state, shared('a', 'new'))
  const two = () => given({ type: 'received', item: live('a', 1) }, { type: 'received', item: live('b', 2) })

  it('keeps its place, before and after the server has it', () => {
    const state = changed(two())
    expect(texts(state)).toEqual(['new', 'b'])
    expect(texts(reduceItems(state, { type: 'received', item: live('a', 3, 'new') }))).toEqual(['new', 'b'])
  })

  it('counts as unsent until the echo, also over a sync that has it', () => {
    const synced = (message: string): ItemsEvent => ({
      type: 'synced',
      epoch: 'e',
      oldest: 1,
      saved: false,
      items: [live('a', 1, message), live('b', 2)],
    })
    const unsent = (...events: ItemsEvent[]) =>
      events.reduce(reduceItems, changed(two())).items.map((item) => isUnsent(item))
    expect(unsent()).toEqual([true, false])
    expect(unsent(synced('new'))).toEqual([true, false])
    expect(unsent(synced('theirs'))).toEqual([false, false])
    expect(unsent({ type: 'received', item: live('a', 3, 'new') })).toEqual([false, false])
    expect(unsent({ type: 'refused', id: 'a' as ItemId, why: 'Not yours.' })).toEqual([false, false])
  })

  it('by another device keeps its place too, and the next item comes last', () => {
    const state = [live('a', 3, 'newer'), live('c', 4)].reduce(
      (sum, item) => reduceItems(sum, { type: 'received', item }),
      two(),
    )
    expect(texts(state)).toEqual(['newer', 'b', 'c'])
  })

  it('of a note does not change its owner', () => {
    const state = changed(given({ type: 'received', item: note('a', 1, 'a', true) }))
    expect(state.items[0]).toMatchObject({ message: 'new', seq: 1, note: { mine: true } })
  })

  it('is not undone by the list of notes', () => {
    const state = changed(given({ type: 'received', item: note('a', 1) }))
    expect(texts(reduceItems(state, listed({ a: false })))).toEqual(['new'])
  })
})

describe('an item that was changed', () => {
  it('keeps its place, also for a device that joins later (S9)', () => {
    const edited = { ...live('a', 4, 'edited'), at: 1 }
    const here = given(
      ...['a', 'b', 'c'].map((id, at): ItemsEvent => ({ type: 'received', item: live(id, at + 1) })),
      { type: 'received', item: edited },
    )
    const items = [live('b', 2), live('c', 3), edited]
    const late = given({ type: 'synced', epoch: 'e', oldest: 1, saved: false, items })
    expect(texts(here)).toEqual(['edited', 'b', 'c'])
    expect(texts(late)).toEqual(texts(here))
  })
})

describe('an item that this device shares', () => {
  it('is last until the server has it, and then in its order', () => {
    const state = given(shared('mine', 'mine'), { type: 'received', item: live('b', 2) })
    expect(texts(state)).toEqual(['b', 'mine'])
    const next = [live('mine', 3), live('c', 4)].reduce(
      (sum, item) => reduceItems(sum, { type: 'received', item }),
      reduceItems(state, shared('later', 'later')),
    )
    expect(texts(next)).toEqual(['b', 'mine', 'c', 'later'])
  })

  it('shows why the server refused it, also after the next sync', () => {
    const state = given(
      { type: 'received', item: live('a', 1) },
      shared('a', 'changed'),
      shared('b', 'new'),
      { type: 'refused', id: 'a' as ItemId, why: 'Not yours.' },
      { type: 'refused', id: 'b' as ItemId, why: 'The beam is full.' },
      { type: 'synced', epoch: 'e', oldest: 1, saved: false, items: [live('a', 1)] },
    )
    expect(state.items).toMatchObject([
      { message: 'changed', refusal: 'Not yours.' },
      { message: 'new', refusal: 'The beam is full.' },
    ])
  })

  it('is replaced after a refusal by a newer version of another device', () => {
    const refused = given({ type: 'received', item: live('a', 1) }, shared('a', 'changed'), {
      type: 'refused',
      id: 'a' as ItemId,
      why: 'Not yours.',
    })
    for (const event of [
      { type: 'synced', epoch: 'e', oldest: 1, saved: false, items: [live('a', 5, 'newer')] },
      { type: 'received', item: live('a', 5, 'newer') },
    ] as const) {
      const { items } = reduceItems(refused, event)
      expect(items).toMatchObject([{ message: 'newer' }])
      expect(items[0]).not.toHaveProperty('refusal')
    }
  })

  it('is no longer refused once it is shared again', () => {
    const { items } = given(
      shared('a', 'first'),
      { type: 'refused', id: 'a' as ItemId, why: 'The beam is full.' },
      shared('a', 'second'),
    )
    expect(items[0]).not.toHaveProperty('refusal')
  })
})

describe('a sync', () => {
  it('keeps a changed item at its place, and puts the others into the order of the beam', () => {
    const state = given(
      { type: 'received', item: live('a', 1) },
      { type: 'received', item: live('c', 3) },
      { type: 'received', item: live('a', 9, 'changed') },
      {
        type: 'synced',
        epoch: 'e',
        oldest: 1,
        saved: false,
        items: [live('d', 5), live('a', 9, 'changed'), live('b', 4)],
      },
    )
    expect(texts(state)).toEqual(['changed', 'c', 'b', 'd'])
  })

  const sync = (epoch: string, saved: boolean, ...items: Item[]): ItemsEvent => ({
    type: 'synced',
    epoch,
    oldest: 1,
    items,
    saved,
  })

  it('removes items that were deleted meanwhile, wherever the newest item is in the answer', () => {
    const state = given(
      sync('e', false, live('a', 1), live('b', 2), live('c', 3)),
      sync('e', false, live('c', 3), live('a', 1)),
    )
    expect(texts(state)).toEqual(['a', 'c'])
  })

  it('s11_takes_away_the_newest_item_too', () => {
    const all = sync('e', false, live('a', 1), live('b', 2))
    expect(texts(given(all, sync('e', false, live('a', 1))))).toEqual(['a'])
    expect(texts(given(all, sync('e', false)))).toEqual([])
  })

  it('keeps what the server has dropped to make room', () => {
    const later = { ...sync('e', false, live('b', 2)), oldest: 2 } as ItemsEvent
    expect(texts(given(sync('e', false, live('a', 1), live('b', 2)), later))).toEqual(['a', 'b'])
  })

  it('of a server that has forgotten an unsaved beam leaves what is here, before what is new, for good', () => {
    const first = given(
      sync('e', false, live('a', 1), live('b', 2), live('c', 3)),
      { type: 'received', item: live('a', 4, 'changed') },
      shared('mine', 'mine'),
      { ...sync('f', false, live('d', 101)), oldest: 101 } as ItemsEvent,
    )
    expect(texts(first)).toEqual(['changed', 'b', 'c', 'd', 'mine'])
    const again = [
      { ...sync('f', false, live('d', 101), live('e', 102)), oldest: 101 } as ItemsEvent,
      { ...sync('g', false, live('h', 201)), oldest: 201 } as ItemsEvent,
    ]
    expect(texts(again.reduce(reduceItems, first))).toEqual(['changed', 'b', 'c', 'd', 'e', 'h', 'mine'])
  })

  it('s22_of_a_saved_beam_is_whole_after_a_restart_of_the_server_too', () => {
    const state = given(
      sync('e', true, note('a', 1), note('b', 2), note('c', 3)),
      shared('mine', 'mine'),
      sync('f', true, note('b', 1)),
    )
    expect(texts(state)).toEqual(['b', 'mine'])
  })

  it('s30_after_a_restart_keeps_what_the_server_had_dropped_before_it_stored_the_beam', () => {
    const dropped = (epoch: string, ...items: Item[]) =>
      ({ ...sync(epoch, true, ...items), oldest: 2 }) as ItemsEvent
    const before = sync('e', false, live('a', 1), live('b', 2), live('c', 3))
    const restarted = dropped('f', live('c', 3))
    expect(texts(given(before, dropped('e', live('b', 2), live('c', 3)), restarted))).toEqual(['a', 'c'])
    expect(texts(given(before, restarted))).toEqual(['a', 'c'])
    expect(texts(given(before, restarted, dropped('g')))).toEqual(['a'])
  })

  it('s22_after_a_restart_removes_every_note_that_the_server_lacks', () => {
    const state = given(
      sync('e', false, live('a', 1), live('b', 2), live('c', 3)),
      listed({ b: false, c: false }),
      { ...sync('f', true, note('c', 3)), oldest: 3 } as ItemsEvent,
    )
    expect(texts(state)).toEqual(['a', 'c'])
  })
})

describe('5,000 notes', () => {
  const COUNT = 5_000

  /** Notes that count how often one of them is read. */
  function counted(offset: number) {
    let looks = 0
    const items = Array.from({ length: COUNT }, (_, at): Item => {
      const { id, seq, ...others } = note(`n${at}`, at + offset)
      const look = <T>(value: T): T => {
        looks += 1
        return value
      }
      return {
        ...others,
        get id() {
          return look(id)
        },
        get seq() {
          return look(seq)
        },
      }
    })
    return { items, looks: () => looks }
  }

  it('are merged and marked in linear time', () => {
    const first = counted(1)
    const again = counted(1)
    const state = given(
      { type: 'synced', epoch: 'e', oldest: 1, saved: false, items: first.items },
      listed(Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [`n${at}`, true]))),
      { type: 'synced', epoch: 'e', oldest: 1, saved: false, items: again.items },
    )
    expect(state.items).toHaveLength(COUNT)
    expect(first.looks() + again.looks()).toBeLessThan(COUNT * 40)
  })

  it('are read once to add one more', () => {
    const { items, looks } = counted(1)
    const state = given({ type: 'synced', epoch: 'e', oldest: 1, saved: false, items })
    const before = looks()
    reduceItems(state, { type: 'received', item: note('one more', COUNT + 1) })
    expect(looks() - before).toBeLessThan(COUNT * 5)
  })
})

describe('an item for one device', () => {
  const forOne = (id: string, seq: number): Item => ({ ...live(id, seq), to: 'phone' as DeviceId })

  it('s33_stays_when_an_item_of_the_same_content_is_deleted_by_content', () => {
    const state = given(
      { type: 'received', item: { ...forOne('a', 1), message: 'same' } },
      { type: 'received', item: live('b', 2, 'same') },
      { type: 'deleted', message: 'same' },
    )
    expect(state.items.map(({ id }) => id)).toEqual(['a'])
    expect(
      given({ type: 'received', item: forOne('a', 1) }, { type: 'deleted', message: null, id: 'a' as ItemId })
        .items,
    ).toEqual([])
  })

  it('s33_stays_here_when_the_server_of_a_saved_beam_has_forgotten_it', () => {
    const synced = (epoch: string, ...items: Item[]): ItemsEvent => ({
      type: 'synced',
      epoch,
      oldest: 1,
      items,
      saved: true,
    })
    const before = [note('a', 1), forOne('b', 2)]
    expect(texts(given(synced('one', ...before), synced('two', note('a', 1))))).toEqual(['a', 'b'])
    // In the same memory of the server, it was deleted.
    expect(texts(given(synced('one', ...before), synced('one', note('a', 1))))).toEqual(['a'])
  })

  it('s33_keeps_its_addressee_while_a_change_of_it_is_not_confirmed', () => {
    const state = given({ type: 'received', item: forOne('a', 1) }, shared('a', 'changed'))
    expect(state.items[0]).toMatchObject({ message: 'changed', to: 'phone' })
  })

  it('s33_is_never_a_note', () => {
    const received = { id: 'a' as ItemId, seq: 1, from: 'd' as DeviceId, at: 1, extra: 'text', message: 'a' }
    expect(liveItem({ ...received, to: 'phone' as DeviceId }, { mine: true }).note).toBeNull()
  })
})
