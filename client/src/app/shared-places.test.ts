import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Arrange, BeamId, DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { liveItem, pendingItem } from '../protocol/item'
import { HOME_CAMERA, type Point, reduceCanvas } from '../stores/canvas'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { SharedPlaces } from './shared-places'
import { createToaster } from './toaster'

const ADA = 'ada' as DeviceId
const BOB = 'bob' as DeviceId
const [milk, bread] = ['milk', 'bread'] as ItemId[] as [ItemId, ItemId]

let stores: Stores
let sent: Arrange[]
let isLive: boolean
let shared: SharedPlaces

beforeEach(() => {
  vi.useFakeTimers()
  stores = createStores()
  sent = []
  isLive = true
  stores.devices.setState({ me: ADA })
  stores.canvas.setState((state) =>
    reduceCanvas(state, { type: 'opened', beam: 'b' as BeamId, places: new Map(), camera: HOME_CAMERA }),
  )
  shared = new SharedPlaces(stores, createToaster(stores.toasts), (change) => {
    if (isLive) sent.push(change)
    return isLive
  })
})
afterEach(() => {
  shared.end()
  vi.useRealTimers()
})

function has(id: ItemId, from: DeviceId) {
  const item = { id, seq: 1, from, at: 0, message: id, extra: 'text' } as LiveItem
  stores.items.setState((state) => reduceItems(state, { type: 'received', item: liveItem(item, null) }))
}

function moves(id: ItemId, to: Point) {
  stores.canvas.setState((state) => reduceCanvas(state, { type: 'placed', places: [[id, to]] }))
}

const hears = (places: readonly (readonly [ItemId, number])[], from: DeviceId | null = BOB) =>
  shared.hear({ shared: true, places: places.map(([id, x]) => ({ id, x, y: 0 })), from })
const xOf = (id: ItemId) => stores.canvas.getState().places.get(id)?.x
const placesSent = () => sent.flatMap(({ places }) => places.map(({ id, x }) => [id, x]))

describe('places that are each device’s own', () => {
  it('are sent nowhere', () => {
    has(milk, ADA)
    moves(milk, { x: 5, y: 0 })
    expect(sent).toEqual([])
  })
})

describe('the shared arrangement', () => {
  it('begins with the places that the notes have here', () => {
    has(milk, BOB)
    moves(milk, { x: 5, y: 0 })
    shared.share(true)
    expect(sent[0]).toEqual({ shared: true, places: [] })
    expect(placesSent()).toEqual([[milk, 5]])
  })

  it('sends what is moved here, at most ten times a second, and the newest place of each', () => {
    has(milk, BOB)
    hears([[milk, 0]])
    for (const x of [1, 2, 3]) moves(milk, { x, y: 0 })
    expect(placesSent()).toEqual([[milk, 1]])
    vi.advanceTimersByTime(100)
    expect(placesSent()).toEqual([
      [milk, 1],
      [milk, 3],
    ])
  })

  it('s4_sends_no_more_places_at_once_than_the_server_takes', () => {
    stores.limits.setState({ places: 1 })
    has(milk, ADA)
    has(bread, ADA)
    moves(milk, { x: 5, y: 0 })
    moves(bread, { x: 6, y: 0 })
    shared.share(true)
    expect(sent.at(-1)?.places).toHaveLength(1)
    vi.advanceTimersByTime(100)
    expect(placesSent()).toEqual([
      [milk, 5],
      [bread, 6],
    ])
  })

  it('sends the place of a new item of this device, once the server has the item', () => {
    hears([])
    moves(milk, { x: 5, y: 0 })
    moves(bread, { x: 9, y: 0 })
    expect(sent).toEqual([])
    has(milk, ADA)
    has(bread, BOB)
    moves(milk, { x: 6, y: 0 })
    expect(placesSent()).toEqual([[milk, 6]])
  })

  it('s33_leaves_out_what_is_for_one_device', () => {
    const item = {
      id: bread,
      seq: 2,
      from: ADA,
      to: BOB,
      at: 0,
      message: 'secret',
      extra: 'text',
    } as LiveItem
    stores.items.setState((state) => reduceItems(state, { type: 'received', item: liveItem(item, null) }))
    hears([])
    moves(bread, { x: 5, y: 0 })
    moves(bread, { x: 6, y: 0 })
    shared.share(true)
    expect(placesSent()).toEqual([])
  })

  it('follows the others, and sends nothing back', () => {
    has(milk, BOB)
    moves(milk, { x: 5, y: 0 })
    hears([[milk, 70]])
    expect(xOf(milk)).toBe(70)
    expect(sent).toEqual([])
  })

  it('takes the last place, in the order of the server', () => {
    has(milk, BOB)
    hears([[milk, 0]])
    moves(milk, { x: 10, y: 0 })
    moves(milk, { x: 20, y: 0 })
    vi.advanceTimersByTime(100)
    // The first of its own two places comes back: the second is still on its way.
    hears([[milk, 10]], ADA)
    expect(xOf(milk)).toBe(20)
    hears([[milk, 99]], BOB)
    hears([[milk, 20]], ADA)
    expect(xOf(milk)).toBe(20)
    hears([[milk, 50]], BOB)
    expect(xOf(milk)).toBe(50)
  })

  it('sends what was moved without a connection when the server tells of the arrangement again', () => {
    has(milk, BOB)
    hears([[milk, 0]])
    isLive = false
    moves(milk, { x: 30, y: 0 })
    expect(sent).toEqual([])
    isLive = true
    shared.welcomed()
    hears([[milk, 0]], null)
    expect(xOf(milk)).toBe(30)
    expect(placesSent()).toEqual([[milk, 30]])
  })

  it('leaves the notes where they are when it ends', () => {
    has(milk, BOB)
    hears([[milk, 40]])
    shared.hear({ shared: false, places: [], from: BOB })
    expect(xOf(milk)).toBe(40)
    moves(milk, { x: 1, y: 0 })
    expect(sent).toEqual([])
    expect(stores.toasts.getState().toasts.map(({ text }) => text)).toContain(
      'Each device arranges its own notes again',
    )
  })

  it('begins with the places of another device, without what was left to send of an earlier one', () => {
    has(milk, BOB)
    hears([[milk, 0]])
    isLive = false
    moves(milk, { x: 30, y: 0 })
    isLive = true
    shared.welcomed()
    hears([])
    hears([[milk, 70]])
    has(bread, BOB)
    expect(xOf(milk)).toBe(70)
    expect(placesSent()).toEqual([])
  })

  it('is not changed by a device that may only read', () => {
    has(milk, BOB)
    hears([[milk, 0]])
    const saved = { beam_name: 'Trip', role: 'read', link_access: 'read', by_link: true } as const
    stores.access.setState({ kind: 'saved', saved }, true)
    moves(milk, { x: 1, y: 0 })
    expect(sent).toEqual([])
  })
})

describe('the place of a batch', () => {
  const BATCH = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as ItemId
  const hasBatch = (from: DeviceId, files = [0, 1]) => {
    for (const index of files) {
      const file = { name: `${index}`, size: 1, type: '', batch: { id: BATCH, count: 2, index } }
      const item = {
        id: `file ${index}` as ItemId,
        seq: index + 1,
        from,
        at: 0,
        message: { file },
        extra: 'file',
      }
      stores.items.setState((state) => reduceItems(state, { type: 'received', item: liveItem(item, null) }))
    }
  }

  it('f14_s35_goes_by_the_id_of_its_first_file_and_comes_back_as_its_own', () => {
    hears([], null)
    hasBatch(ADA)
    moves(BATCH, { x: 5, y: 0 })
    expect(placesSent()).toEqual([['file 0', 5]])
    hears([['file 0' as ItemId, 5]], ADA)
    hears([['file 0' as ItemId, 7]])
    expect(xOf(BATCH)).toBe(7)
  })

  it('f14_s35_is_known_to_a_device_that_is_told_the_places_before_the_items', () => {
    hears([['file 0' as ItemId, 9]], null)
    hasBatch(BOB)
    expect(xOf(BATCH)).toBe(9)
  })

  it('f14_s35_comes_before_the_one_that_this_device_stored', () => {
    moves(BATCH, { x: 3, y: 0 })
    hears([['file 0' as ItemId, 9]], null)
    hasBatch(BOB)
    expect(xOf(BATCH)).toBe(9)
  })

  it('f14_s35_is_told_again_when_another_file_is_the_first', () => {
    hears([], null)
    hasBatch(BOB)
    hears([['file 0' as ItemId, 7]])
    const id = 'file 0' as ItemId
    stores.items.setState((state) => reduceItems(state, { type: 'deleted', message: null, id }))
    expect(placesSent()).toEqual([['file 1', 7]])
  })

  it('f14_s35_is_sent_by_a_file_that_the_server_has', () => {
    hears([], null)
    const file = { name: '0', size: 1, type: '', batch: { id: BATCH, count: 2, index: 0 } }
    const item = pendingItem('file 0' as ItemId, { file }, 'file', 0)
    stores.items.setState((state) => reduceItems(state, { type: 'shared', item }))
    hasBatch(ADA, [1])
    moves(BATCH, { x: 5, y: 0 })
    expect(placesSent()).toEqual([['file 1', 5]])
    vi.advanceTimersByTime(100)
    hasBatch(ADA, [0])
    expect(placesSent()).toEqual([
      ['file 1', 5],
      ['file 0', 5],
    ])
  })
})
