import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BeamMemory } from '../protocol/beam-memory'
import type { DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { liveItem } from '../protocol/item'
import { reduceDevices } from '../stores/devices'
import { createStores, type Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import { OlderItems } from './older-items'
import { createToaster } from './toaster'

const id = (n: number) => `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000` as ItemId
const device = (n: number) => `${n.toString(16).padStart(8, '0')}-0000-8000-8000-000000000000` as DeviceId
const [ME, ADA, BOB] = [device(1), device(2), device(3)]
const item = (seq: number, message: unknown = seq): LiveItem => ({
  id: id(seq),
  seq,
  message,
  extra: 'text',
  from: ADA,
  at: 0,
})
const items = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => item(from + at))

/** A device of the beam, whose signals the test reads. */
class Person {
  readonly stores: Stores = createStores()
  readonly sent: { to: DeviceId; message: unknown }[] = []
  readonly taken: number[] = []
  readonly memory = new BeamMemory()
  deletions: ItemId[] = []
  readonly older: OlderItems

  constructor(readonly me: DeviceId) {
    const live = () =>
      ({
        memory: this.memory,
        deletions: this.deletions,
      }) as unknown as LiveBeam
    const signal = (to: DeviceId, message: unknown) => void this.sent.push({ to, message })
    const take = (older: readonly LiveItem[]) => this.taken.push(...older.map(({ seq }) => seq))
    this.older = new OlderItems(this.stores, createToaster(this.stores.toasts), live, signal, take)
    this.stores.access.setState({ kind: 'unsaved', creator: false }, true)
    const devices = [ADA, BOB, ME].map((device_id) => ({ device_id, name: '', caps: ['files' as const] }))
    for (const event of [{ type: 'welcomed', me } as const, { type: 'listed', devices } as const])
      this.stores.devices.setState((state) => reduceDevices(state, event), true)
  }

  get toasts() {
    return this.stores.toasts.getState().toasts.map(({ text }) => text)
  }
}

/** Carries signals until none is left. */
function carries(...people: readonly Person[]): void {
  for (;;) {
    const waiting = people.flatMap((person) =>
      person.sent.splice(0).map((one) => ({ ...one, from: person.me })),
    )
    if (waiting.length === 0) return
    for (const { from, to, message } of waiting)
      people.find(({ me }) => me === to)?.older.heard(from, JSON.parse(JSON.stringify(message)))
  }
}

let me: Person
let ada: Person
beforeEach(() => {
  vi.useFakeTimers()
  me = new Person(ME)
  ada = new Person(ADA)
  ada.memory.synced(1, items(1, 600))
  me.memory.synced(351, items(351, 600))
})
afterEach(() => vi.useRealTimers())

describe('s29_items_that_the_server_has_dropped', () => {
  it('come from a device that has them, page by page, and are told of once', () => {
    me.older.synced(351, 350, [])
    carries(me, ada)
    expect(me.taken).toEqual(Array.from({ length: 350 }, (_, at) => 350 - at))
    expect(me.memory.knows(id(1))).toBe(true)
    expect(me.toasts).toEqual([expect.stringContaining('A saved beam keeps more')])
    me.older.synced(351, 350, [])
    expect(me.sent).toEqual([])
    expect(me.toasts).toHaveLength(1)
  })

  it('are asked for when the server has others of that age, which devices brought back', () => {
    me.memory.synced(351, items(301, 600))
    me.older.synced(351, 300, items(301, 600))
    carries(me, ada)
    expect(me.taken).toEqual(Array.from({ length: 300 }, (_, at) => 300 - at))
  })

  it('s30_are_not_told_of_when_there_are_more_in_a_kept_beam', () => {
    const shown = items(1, 501).map((one) => liveItem(one, null))
    me.stores.keeping.setState({ kept: { until: 1, by: ADA } })
    me.stores.items.setState({ items: shown })
    expect(me.toasts).toEqual([])
    me.stores.keeping.setState({ kept: null })
    me.stores.items.setState({ items: [...shown] })
    expect(me.toasts).toHaveLength(1)
  })

  it('s4_are_told_of_when_there_are_more_than_the_server_says_it_keeps', () => {
    me.stores.limits.setState({ live_items: 2 })
    me.stores.items.setState({ items: items(1, 2).map((one) => liveItem(one, null)) })
    expect(me.toasts).toEqual([])
    me.stores.items.setState({ items: items(1, 3).map((one) => liveItem(one, null)) })
    expect(me.toasts).toEqual([expect.stringContaining('(2 items, 8 MB)')])
  })

  it('come from the next device when the first one has none, is gone, or does not answer', () => {
    const bob = new Person(BOB)
    bob.memory.synced(1, items(1, 600))
    const empty = new Person(ADA)
    me.older.synced(351, 350, [])
    carries(me, empty, bob)
    expect(me.taken).toHaveLength(350)

    for (const fails of [(one: Person) => one.older.gone(ADA), () => vi.advanceTimersByTime(5_000)]) {
      const other = new Person(ME)
      other.older.synced(351, 350, [])
      expect(other.sent.splice(0)).toMatchObject([{ to: ADA }])
      fails(other)
      expect(other.sent).toMatchObject([{ to: BOB, message: { ask: 'older', before: 351 } }])
    }
  })

  it('come from the last device that may have them, however slow its wire is', () => {
    const bob = new Person(BOB)
    bob.memory.synced(1, items(1, 600))
    me.older.synced(351, 350, [])
    vi.advanceTimersByTime(60_000)
    carries(me, bob)
    expect(me.taken).toHaveLength(350)
  })

  it('are not asked for when none was dropped, nor in a saved beam', () => {
    me.older.synced(351, 0, [])
    const saved = { beam_name: '', role: 'write', link_access: 'write', by_link: true } as const
    me.stores.access.setState({ kind: 'saved', saved }, true)
    me.older.synced(351, 350, [])
    expect([me.sent, me.toasts]).toEqual([[], []])
  })

  it('that are here, being deleted, or not older are not taken, and nothing from a device that was not asked', () => {
    me.deletions = [id(2)]
    me.memory.remember([item(1)])
    me.older.synced(351, 350, [])
    const have = (...some: LiveItem[]) => ({ have: 'older', items: some, next: null })
    me.older.heard(BOB, have(item(9)))
    me.older.heard(ADA, have(item(4), item(900)))
    me.older.heard(ADA, have(item(1), item(2), item(3)))
    expect(me.taken).toEqual([3])
  })

  it('come all where a late answer crosses the same question, asked anew after a sync', () => {
    me.older.synced(351, 350, [])
    const answers = () => {
      const asked = me.sent.splice(0)
      for (const { message } of asked) ada.older.heard(ME, message)
      return ada.sent.splice(0).map(({ message }) => message)
    }
    for (const page of answers()) me.older.heard(ADA, page)
    const late = answers()
    me.older.synced(351, 350, [])
    const anew = answers()
    for (const page of [...late, ...anew]) me.older.heard(ADA, page)
    carries(me, ada)
    expect(me.taken).toEqual(Array.from({ length: 350 }, (_, at) => 350 - at))
  })

  it('end when a device answers with pages that go nowhere', () => {
    me.older.synced(351, 350, [])
    me.sent.length = 0
    me.older.heard(ADA, { have: 'older', items: [item(5)], next: 351 })
    expect(me.sent).toEqual([])
  })

  it('do not come back after their deletion from a device that was away then', () => {
    me.memory.remember([item(1), item(2)])
    me.memory.deleted(id(1), null)
    me.memory.deleted(undefined, 2)
    me.older.synced(351, 350, [])
    carries(me, ada)
    expect(me.taken).toEqual(Array.from({ length: 348 }, (_, at) => 350 - at))
    me.older.synced(351, 350, [])
    expect(me.sent).toEqual([])
  })

  it('can be deleted and come back by Undo', () => {
    me.memory.remember([item(1)])
    me.memory.deleted(id(1), null)
    me.memory.received({ ...item(1), seq: 601 })
    expect(me.memory.findAll([id(1)])).toHaveLength(1)
  })

  it('are asked for once when some of them were deleted before this device came, and again when more are dropped', () => {
    for (const n of [1, 2]) ada.memory.deleted(id(n), null)
    me.older.synced(351, 350, [])
    carries(me, ada)
    expect(me.taken).toHaveLength(348)
    me.older.synced(351, 350, [])
    expect(me.sent).toEqual([])
    me.memory.synced(701, items(701, 800))
    me.older.synced(701, 700, [])
    expect(me.sent).toMatchObject([{ to: ADA, message: { ask: 'older', before: 701 } }])
  })

  it('end with a page that has none', () => {
    me.older.synced(351, 350, [])
    me.older.heard(ADA, { have: 'older', items: [item(350)], next: 350 })
    me.sent.length = 0
    me.older.heard(ADA, { have: 'older', items: [], next: 349 })
    expect(me.sent).toEqual([])
  })

  it('are asked from the next device when the first page has none', () => {
    me.older.synced(351, 350, [])
    me.sent.length = 0
    me.older.heard(ADA, { have: 'older', items: [], next: 349 })
    expect(me.sent).toMatchObject([{ to: BOB, message: { before: 351 } }])
  })

  it('are sent in pages of bounded size', () => {
    ada.memory.synced(1, [
      item(1, 'x'.repeat(200_000)),
      item(2, 'x'.repeat(100_000)),
      item(3, 'x'.repeat(20_000)),
    ])
    const asked = (before: number) => {
      ada.older.heard(ME, { ask: 'older', before })
      return ada.sent.at(-1)?.message as { items: LiveItem[]; next: number | null }
    }
    expect(asked(100)).toMatchObject({ items: [{ seq: 3 }, { seq: 2 }], next: 2 })
    expect(asked(2)).toMatchObject({ part: expect.any(String), at: 5, of: 6 })
  })

  describe('and too long for a message', () => {
    const part = (text: string, at = 0, of = 2) => ({ have: 'older', part: text, at, of })
    const asked = () => me.sent.splice(0).map(({ to }) => to)

    beforeEach(() => {
      ada.memory.synced(1, [...items(1, 2), item(3, 'x'.repeat(200_000)), ...items(4, 600)])
      me.older.synced(351, 350, [])
    })

    it('come in parts, and so does what is older', () => {
      carries(me, ada)
      expect(me.taken).toHaveLength(350)
      expect(me.memory.findAll([id(3)])[0]?.message).toHaveLength(200_000)
    })

    it('are waited for as long as parts of them come', () => {
      me.sent.length = 0
      for (const at of [0, 1, 2]) {
        vi.advanceTimersByTime(4_000)
        me.older.heard(ADA, part('', at, 9))
      }
      expect(asked()).toEqual([])
      vi.advanceTimersByTime(5_000)
      expect(asked()).toEqual([BOB])
    })

    it('are not waited for where they are begun anew for ever', () => {
      me.sent.length = 0
      for (let times = 0; times <= 1_000; times += 1) me.older.heard(ADA, part('of many'))
      expect(asked()).toEqual([BOB])
    })

    it('are begun anew with their first part, and no others are mixed with them', () => {
      const page = JSON.stringify({ have: 'older', items: [item(5)], next: null })
      me.older.heard(ADA, part('of before', 1))
      me.older.heard(ADA, part('of before'))
      me.older.heard(ADA, part(page.slice(0, 9)))
      me.older.heard(BOB, part('of another', 1))
      me.older.heard(ADA, part(page.slice(9), 1))
      expect(me.taken).toEqual([5])
    })

    it('are asked of the next device where they make no page', () => {
      me.sent.length = 0
      for (const at of [0, 1]) me.older.heard(ADA, part('{', at))
      expect(asked()).toEqual([BOB])
    })
  })

  it('no signal of another kind is taken for one of these', () => {
    expect(me.older.heard(ADA, { session: 's', signal: {} })).toBe(false)
  })
})
