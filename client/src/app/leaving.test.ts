import { beforeEach, describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem, storedItemMessage } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { reduceItems } from '../stores/items'
import { reduceSaves, type SavesEvent } from '../stores/saves'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import { wouldLose } from './leaving'

const ITEM = 'a' as ItemId
const PHONE = 'phone' as DeviceId
const FILE = { name: 'a.bin', size: 3, type: '' }

let stores: Stores

const has = ({ message, extra }: { message: unknown; extra: string }) => {
  const event = { type: 'shared', item: pendingItem(ITEM, message, extra, 0) } as const
  stores.items.setState((state) => reduceItems(state, event), true)
}
const put = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)

beforeEach(() => {
  stores = createStores()
  has(fileItemMessage(FILE))
})

describe('leaving the page asks first', () => {
  it('while a file comes', () => {
    const state = { status: 'moving', received: 1, bytesPerSecond: 1, way: DIRECT } as const
    put({ type: 'receiving', id: ITEM, state })
    expect(wouldLose(stores)).toBe(true)
  })

  it('while something is saved, also when it waits for its bytes', () => {
    const tell = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
    tell({ type: 'saving', id: ITEM, save: { status: 'waiting' } })
    expect(wouldLose(stores)).toBe(true)
    tell({ type: 'ended', id: ITEM })
    expect(wouldLose(stores)).toBe(false)
  })

  it('while a file is offered that no other device has got', () => {
    put({ type: 'offering', id: ITEM, url: 'blob:a' })
    put({ type: 'sending', id: ITEM, to: PHONE, state: { status: 'cancelled', by: 'them' } })
    expect(wouldLose(stores)).toBe(true)
  })
})

describe('leaving the page asks nothing', () => {
  it('about a file that is only offered to this device, or was lost already', () => {
    put({ type: 'receiving', id: ITEM, state: { status: 'offered' } })
    expect(wouldLose(stores)).toBe(false)
    put({ type: 'lost', asks: false, id: ITEM })
    expect(wouldLose(stores)).toBe(false)
  })

  it('about a file that another device or the server has', () => {
    put({ type: 'offering', id: ITEM, url: 'blob:a' })
    put({ type: 'sending', id: ITEM, to: PHONE, state: { status: 'done', way: DIRECT } })
    expect(wouldLose(stores)).toBe(false)
    put({ type: 'offering', id: ITEM, url: 'blob:a' })
    has(storedItemMessage({ ...FILE, url: '/api/uploads/0123456789abcdef' }))
    expect(wouldLose(stores)).toBe(false)
  })

  it('about an item that was deleted, or whose beam is closed', () => {
    put({ type: 'offering', id: ITEM, url: 'blob:a' })
    stores.connection.setState({ status: 'stopped', why: 'ended' }, true)
    expect(wouldLose(stores)).toBe(false)
    stores.connection.setState({ status: 'live' }, true)
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    expect(wouldLose(stores)).toBe(false)
  })
})
