import { beforeEach, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { liveItem, storedItemMessage } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import { learnMedia } from './media-kinds'

/** Requests that the server has not answered yet, by address. */
let asked: Map<string, { answers: (png: Uint8Array) => void; fails: () => void }>
vi.mock('../transport/http', () => ({
  readStart: (url: string) =>
    new Promise<Uint8Array>((resolve, reject) =>
      asked.set(url, { answers: resolve, fails: () => reject(new TypeError('Failed to fetch')) }),
    ),
}))

const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
])
let stores: Stores

beforeEach(() => {
  asked = new Map()
  stores = createStores()
  learnMedia(stores)
})

const url = (at: number) => `/api/uploads/000000000000000${at}`
const hasPictures = (count: number) => {
  const items = Array.from({ length: count }, (_, at) => {
    const file = { name: 'a.png', size: 99, type: 'image/png', url: url(at) }
    const item = {
      id: `i${at}` as ItemId,
      seq: at + 1,
      from: 'd' as DeviceId,
      at: 0,
      ...storedItemMessage(file),
    }
    return liveItem(item, null)
  })
  stores.items.setState({ items, epoch: 'e' })
}
const kinds = () => stores.media.getState().kinds
const settled = () => new Promise((resolve) => setTimeout(resolve))
/** A request ends: the server answers it, or the network fails. */
const ends = async (at: number, how: 'answers' | 'fails') => {
  asked.get(url(at))?.[how](PNG)
  asked.delete(url(at))
  await settled()
}
const isLive = () => {
  stores.connection.setState({ status: 'reconnecting', attempt: 1, of: 20 }, true)
  stores.connection.setState({ status: 'live' }, true)
}

it('a picture that could not be read once is looked at again with the next connection', async () => {
  hasPictures(1)
  await ends(0, 'fails')
  expect(kinds()).toEqual({})
  hasPictures(1)
  expect(asked.size).toBe(0)
  isLive()
  await ends(0, 'answers')
  expect(kinds()).toMatchObject({ i0: { type: 'image/png' } })
  isLive()
  expect(asked.size).toBe(0)
})

it('at most six pictures are looked at together', async () => {
  hasPictures(8)
  expect(asked.size).toBe(6)
  await ends(0, 'answers')
  await ends(1, 'fails')
  expect([...asked.keys()].sort()).toEqual([2, 3, 4, 5, 6, 7].map(url))
})

it('two items with the same address are both recognized', async () => {
  hasPictures(1)
  await ends(0, 'answers')
  const [first] = stores.items.getState().items
  if (!first) throw new Error('no item')
  stores.items.setState({ items: [first, { ...first, id: 'again' as ItemId }], epoch: 'e' })
  await ends(0, 'answers')
  expect(Object.keys(kinds())).toEqual(['i0', 'again'])
})
