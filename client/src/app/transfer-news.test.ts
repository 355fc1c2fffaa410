import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { reduceItems } from '../stores/items'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import type { EngineCommand, EngineEvent } from '../transport/engine-messages'
import { forgetFlows } from './flow-news'
import { packFolder } from './packing'
import type { Toaster } from './toaster'
import { createTransferNews, type EnginePage, endTransfersOf, freeWhatGoes } from './transfer-news'
import { UploadNews } from './upload-news'

const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const ADA = 'ada' as DeviceId
const NO_WAY = { links: [], server: true }

let stores: Stores
let told: EngineCommand[]
let toasts: string[]
let revoked: string[]
let news: (event: EngineEvent) => void
let page: EnginePage | null
/** The file that is offered from here. */
let offered: Blob | null

beforeEach(() => {
  stores = createStores()
  told = []
  toasts = []
  page = null
  revoked = []
  vi.stubGlobal('URL', {
    createObjectURL: () => 'blob:received',
    revokeObjectURL: (url: string) => revoked.push(url),
  })
  const show = (text: string) => toasts.push(text)
  const toaster = { ok: show, bad: show, info: show, dismiss: () => {} } as unknown as Toaster
  const tell = (command: EngineCommand) => {
    told.push(command)
  }
  freeWhatGoes(stores, tell)
  const uploads = new UploadNews(stores.transfers, toaster)
  offered = null
  news = createTransferNews(
    stores,
    toaster,
    uploads,
    () => page,
    tell,
    () => offered,
  )
})
afterEach(() => vi.unstubAllGlobals())

const put = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)
const state = () => stores.transfers.getState().transfers[ITEM]
/** The reports that came so far are taken in a task of their own, which begins before one that follows it. */
const areTaken = async () => {
  const { port1, port2 } = new MessageChannel()
  await new Promise((resolve) => {
    port1.onmessage = resolve
    port2.postMessage(null)
  })
  port1.close()
  await new Promise((resolve) => setTimeout(resolve))
}
const hasItem = () => {
  const { message, extra } = fileItemMessage({ name: 'a.bin', size: 3, type: '' })
  const event = { type: 'shared', item: pendingItem(ITEM, message, extra, 0) } as const
  stores.items.setState((items) => reduceItems(items, event), true)
}

it('a folder that can no longer be sent is told with the file that has changed', async () => {
  hasItem()
  const gone = new File(['x'], '')
  const [pack] = await packFolder({ name: 'P', files: [{ path: 'P/x', file: gone }], folders: [] })
  offered = pack?.file ?? null
  vi.spyOn(gone, 'slice').mockReturnValue(new Blob())
  put({ type: 'offering', id: ITEM, url: 'blob:a' })
  const progress = { status: 'failed', bytes: 0, why: { reason: 'changed' } } as const
  news({ say: 'sending', id: ITEM, device: ADA, progress })
  const text = '“P/x” has changed or is gone, so “a.bin” can no longer be sent. Share it again.'
  await vi.waitFor(() => expect(toasts).toEqual([text]))
})

it('a file that is forgotten while its first bytes are read stays forgotten', async () => {
  hasItem()
  put({ type: 'receiving', id: ITEM, state: { status: 'queued', received: 0 } })
  const file = new Blob(['abc'])
  let isRead = () => {}
  const read = new Promise<void>((resolve) => (isRead = resolve))
  const slice = vi.fn(() => ({ arrayBuffer: () => read.then(() => file.arrayBuffer()) }))
  const slow = { size: 3, slice }
  const progress = {
    status: 'done',
    bytes: 3,
    twice: 0,
    via: { links: ['a'], server: false },
    file: slow as unknown as File,
  } as const
  news({ say: 'receiving', id: ITEM, progress })
  await vi.waitFor(() => expect(slice).toHaveBeenCalled())
  put({ type: 'forgotten', id: ITEM })
  isRead()
  await areTaken()
  expect(state()).toBeUndefined()
})

describe('cleaning up', () => {
  const done = { status: 'done', url: 'blob:received', way: DIRECT, isKept: true } as const

  it('a transfer that leaves the list also frees the worker and its blob URL', () => {
    put({ type: 'receiving', id: ITEM, state: done })
    put({ type: 'forgotten', id: ITEM })
    expect(told).toEqual([{ do: 'forget', id: ITEM }])
    expect(revoked).toEqual(['blob:received'])
  })

  it('leaving the beam frees everything but what was received, except of deleted items', () => {
    const deleted = 'deleted' as ItemId
    put({ type: 'receiving', id: ITEM, state: done })
    put({ type: 'offering', id: 'other' as ItemId, url: 'blob:mine' })
    put({ type: 'receiving', id: deleted, state: { ...done, url: null } })
    put({ type: 'held', ids: [deleted] })
    put({ type: 'left' })
    expect(told).toEqual([
      { do: 'leave', id: ITEM },
      { do: 'leave', id: 'other' },
      { do: 'forget', id: deleted },
    ])
    expect(revoked).toEqual(['blob:received', 'blob:mine'])
  })

  it('receiving a file again frees only the blob URL', () => {
    put({ type: 'receiving', id: ITEM, state: done })
    put({ type: 'receiving', id: ITEM, state: { status: 'queued', received: 0 } })
    put({ type: 'storing', id: 'other' as ItemId, state: { status: 'done' }, url: 'blob:mine' })
    put({ type: 'offering', id: 'other' as ItemId, url: 'blob:mine' })
    expect(told).toEqual([])
    expect(revoked).toEqual(['blob:received'])
  })

  it('deleting an item frees its transfer, and no other', () => {
    hasItem()
    const before = stores.items.getState().items
    put({ type: 'receiving', id: ITEM, state: done })
    put({ type: 'offering', id: 'other' as ItemId, url: 'blob:mine' })
    stores.items.setState((items) => reduceItems(items, { type: 'left' }), true)
    endTransfersOf(
      before.map(({ id }) => id),
      stores,
    )
    expect(told).toEqual([{ do: 'forget', id: ITEM }])
  })
})

describe('reports of the engine', () => {
  it('about a file whose item is gone, or goes before they are taken, are ignored', async () => {
    news({ say: 'receiving', id: ITEM, progress: { status: 'queued', bytes: 0 } })
    await areTaken()
    expect(state()).toBeUndefined()
    put({ type: 'receiving', id: ITEM, state: { status: 'looking' } })
    news({ say: 'receiving', id: ITEM, progress: { status: 'offered' } })
    put({ type: 'forgotten', id: ITEM })
    await areTaken()
    expect(state()).toBeUndefined()
  })

  it('about many files that come one after the other are one change, with the last report of each', async () => {
    const other = 'other' as ItemId
    for (const id of [ITEM, other]) put({ type: 'receiving', id, state: { status: 'looking' } })
    const changed = vi.fn()
    stores.transfers.subscribe(changed)
    news({ say: 'receiving', id: ITEM, progress: { status: 'queued', bytes: 0 } })
    news({ say: 'receiving', id: other, progress: { status: 'offered' } })
    news({ say: 'receiving', id: ITEM, progress: { status: 'paused', bytes: 7, by: 'them' } })
    await areTaken()
    expect(changed).toHaveBeenCalledOnce()
    expect(state()).toMatchObject({ state: { status: 'paused', received: 7 } })
    expect(stores.transfers.getState().transfers[other]).toMatchObject({ state: { status: 'offered' } })
    news({ say: 'receiving', id: other, progress: { status: 'queued', bytes: 0 } })
    await areTaken()
    expect(stores.transfers.getState().transfers[other]).toMatchObject({ state: { status: 'queued' } })
  })

  it('that a file moves tell its way, by the kind of each link that carries it', () => {
    forgetFlows(stores)
    hasItem()
    put({ type: 'offering', id: ITEM, url: 'blob:mine' })
    const pathOf = (_device: DeviceId, key: string) => (key === 'over TURN' ? 'turn' : 'direct')
    page = { links: { pathOf } } as unknown as EnginePage
    const via = { links: ['one', 'two', 'over TURN'], server: true }
    const progress = { status: 'moving', bytes: 2, bytesPerSecond: 1, twice: 0, via } as const
    news({ say: 'sending', id: ITEM, device: ADA, progress })
    const way = { direct: 2, turn: 1, server: true }
    expect(state()).toMatchObject({ to: { [ADA]: { way } } })
    expect(stores.flows.getState()).toMatchObject({ [ITEM]: { [ADA]: { way } } })
    put({ type: 'forgotten', id: ITEM })
    expect(stores.flows.getState()).toEqual({})
  })

  it('that files stay in memory are shown', () => {
    news({ say: 'memoryOnly' })
    expect(toasts).toEqual([expect.stringContaining('save what you want to keep')])
  })

  it('about a sent file are shown once for each device', () => {
    put({ type: 'offering', id: ITEM, url: 'blob:mine' })
    const progress = { status: 'done', file: null, twice: 0, via: { links: [], server: true } } as const
    news({ say: 'sending', id: ITEM, device: ADA, progress })
    expect(state()).toMatchObject({
      to: { [ADA]: { status: 'done', way: { direct: 0, turn: 0, server: true } } },
    })
    expect(toasts).toEqual(['Uploaded "file" Successfully!'])
  })

  it('that a device has the whole of a file which a reload has taken from here are remembered', () => {
    put({ type: 'lost', id: ITEM, asks: false })
    const moving = { status: 'moving', bytes: 2, bytesPerSecond: 1, twice: 0, via: NO_WAY } as const
    news({ say: 'sending', id: ITEM, device: ADA, progress: moving })
    expect(state()).toEqual({ role: 'lost', asks: false, to: {} })
    const done = { status: 'done', file: null, twice: 0, via: null } as const
    news({ say: 'sending', id: ITEM, device: ADA, progress: done })
    expect(state()).toEqual({ role: 'lost', asks: false, to: { [ADA]: { status: 'done', way: DIRECT } } })
    // It is said again by each page there that finds the file.
    put({ type: 'offering', id: ITEM, url: 'blob:mine' })
    news({ say: 'sending', id: ITEM, device: ADA, progress: done })
    expect(toasts).toEqual([])
  })

  it("that ask for the websocket's backlog are answered, with or without one", () => {
    news({ say: 'askRelay' })
    page = { live: { unsent: 7 } } as EnginePage
    news({ say: 'askRelay' })
    expect(told).toEqual([
      { do: 'relayWaits', bytes: 0 },
      { do: 'relayWaits', bytes: 7 },
    ])
  })
})
