import { beforeEach, describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, type Item, liveItem } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { cardsOf } from '../stores/cards'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import type { EngineCommand } from '../transport/engine-messages'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import type { Context } from './context'
import { createDeleting, offerWhatCameBack } from './deleting'
import { createToaster } from './toaster'
import { endTransfersOf, freeWhatGoes } from './transfer-news'

const ADA = 'ada' as DeviceId
const TEXT = 'text' as ItemId
const OWN_FILE = 'own' as ItemId
const ADAS_FILE = 'ada' as ItemId
const ALL = [TEXT, OWN_FILE, ADAS_FILE]

/** A live channel that notes what is shared into it. */
const channel = (shared: unknown[]) =>
  ({
    delete: () => {},
    deletions: [],
    share: (id: ItemId) => void shared.push(id),
    cameClear: (id: ItemId) => void shared.push(`clear ${id}`),
  }) as Partial<LiveBeam> as LiveBeam

let stores: Stores
let live: LiveBeam
let shared: unknown[]
let offeredAgain: ItemId[]
let context: Context
let deleting: ReturnType<typeof createDeleting>

const itemOf = (id: ItemId, at: number, content: { message: unknown; extra: string }) =>
  liveItem({ id, seq: at, from: ADA, at, ...content }, null)
const picture = fileItemMessage({ name: 'a.png', size: 3, type: 'image/png' })

beforeEach(() => {
  stores = createStores()
  shared = []
  offeredAgain = []
  live = channel(shared)
  const items = [
    itemOf(TEXT, 11, { message: 'a secret', extra: 'text' }),
    itemOf(OWN_FILE, 12, picture),
    itemOf(ADAS_FILE, 13, picture),
  ]
  stores.items.setState({ items, epoch: 'e' })
  const transfers = {
    tell: () => {},
    offered: (id: ItemId) => (id === OWN_FILE ? new Blob(['abc']) : null),
    deleted: (id: ItemId) => (id === OWN_FILE ? new Blob(['abc']) : null),
  } as Partial<Transfers> as Transfers
  context = { stores, transfers, toaster: createToaster(stores.toasts), live: () => live }
  deleting = createDeleting(context, again)
})

const again = ({ id }: Item) => void offeredAgain.push(id)
const toasts = () => stores.toasts.getState().toasts
const texts = () => toasts().map(({ text }) => text)
const undo = () => toasts()[0]?.action?.run()
const shown = () => stores.items.getState().items.map(({ id, at }) => [id, at])

describe('Undo of a deletion', () => {
  it('e12 restores the mark of an item that came in clear text', () => {
    const [text] = stores.items.getState().items
    stores.items.setState({ items: [{ ...text, isClear: true } as Item] })
    deleting.deleteItems([TEXT])
    undo()
    expect(stores.items.getState().items).toMatchObject([{ id: TEXT, isClear: true }])
    expect(shared).toEqual([`clear ${TEXT}`, TEXT])
  })

  it('restores everything that was deleted, with its id and its age', () => {
    deleting.deleteItems(ALL)
    expect(texts()).toEqual(['Deleted 3 notes'])
    expect(shown()).toEqual([])
    undo()
    expect(shown()).toEqual([
      [TEXT, 11],
      [OWN_FILE, 12],
      [ADAS_FILE, 13],
    ])
    expect(shared).toEqual(ALL)
  })

  it('f14_restores_every_file_of_a_batch_that_was_deleted_as_one', () => {
    const id = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId
    const files = [0, 1, 2].map((index) => {
      const batch = { id, count: 3, index }
      return itemOf(
        `file ${index}` as ItemId,
        20 + index,
        fileItemMessage({ name: 'a', size: 1, type: '', batch }),
      )
    })
    stores.items.setState(({ items }) => ({ items: [...items, ...files] }))
    deleting.deleteItem(id)
    expect(shown()).toHaveLength(3)
    expect(texts()).toEqual(['Deleted 3 files'])
    undo()
    expect(shared).toEqual(files.map((file) => file.id))
    expect(cardsOf(stores.items.getState().items).at(-1)?.id).toBe(id)
  })

  it('offers the own files again', () => {
    deleting.deleteItems(ALL)
    undo()
    expect(offeredAgain).toEqual([OWN_FILE])
  })

  it('is done in the beam in which it was offered, once', () => {
    deleting.deleteItem(TEXT)
    const { run } = toasts()[0]?.action ?? { run: () => {} }
    run()
    run()
    expect(shared).toEqual([TEXT])
  })

  it('is not done in another beam', () => {
    deleting.deleteItem(TEXT)
    const elsewhere: unknown[] = []
    live = channel(elsewhere)
    undo()
    expect([...shared, ...elsewhere]).toEqual([])
  })

  it('covers two deletions in a row', () => {
    deleting.deleteItem(TEXT)
    deleting.deleteItem(OWN_FILE)
    expect(texts()).toEqual(['Deleted 2 notes'])
    undo()
    expect(shared).toEqual([TEXT, OWN_FILE])
  })

  it('leaves the screen when the keyboard was first', () => {
    const restore = deleting.deleteItems([TEXT])
    expect(restore?.()).toBe(true)
    expect(texts()).toEqual([])
    expect(restore?.()).toBe(false)
    expect(shared).toEqual([TEXT])
  })

  it('stays for the earlier deletion when the keyboard has undone the later one', () => {
    deleting.deleteItem(TEXT)
    deleting.deleteItems([OWN_FILE])?.()
    expect(texts()).toEqual(['Deleted'])
    undo()
    expect(shared).toEqual([OWN_FILE, TEXT])
  })
})

it('a file that another device deleted and brought back is offered from here again', () => {
  offerWhatCameBack(context, again)
  expect(offeredAgain).toEqual([])
  stores.devices.setState({ me: ADA })
  offerWhatCameBack(context, again)
  expect(offeredAgain).toEqual([OWN_FILE])
})

describe('the received bytes of a deleted file', () => {
  const isHere = () => stores.transfers.getState().transfers[ADAS_FILE] !== undefined
  beforeEach(() => {
    const state = { status: 'done', url: 'blob:a', way: DIRECT, isKept: true } as const
    stores.transfers.setState(
      (old) => reduceTransfers(old, { type: 'receiving', id: ADAS_FILE, state }),
      true,
    )
    deleting.deleteItem(ADAS_FILE)
    // The server confirms the deletion.
    endTransfersOf([ADAS_FILE], stores)
  })

  it('are kept while Undo is offered, and freed after that', () => {
    expect(isHere()).toBe(true)
    const [toast] = toasts()
    if (toast) createToaster(stores.toasts).dismiss(toast.id)
    expect(isHere()).toBe(false)
  })

  it('are there again after Undo', () => {
    undo()
    expect(isHere()).toBe(true)
    endTransfersOf([ADAS_FILE], stores)
    expect(isHere()).toBe(false)
  })
})

describe('the part of a deleted file that was still being received', () => {
  let told: EngineCommand[]
  const isListed = () => stores.transfers.getState().transfers[ADAS_FILE] !== undefined
  const put = (event: TransfersEvent) => stores.transfers.setState((old) => reduceTransfers(old, event), true)
  const isConfirmed = () => endTransfersOf([ADAS_FILE], stores)
  beforeEach(() => {
    told = []
    freeWhatGoes(stores, (command) => void told.push(command))
    const state = { status: 'moving', received: 2, bytesPerSecond: 1, way: DIRECT } as const
    put({ type: 'receiving', id: ADAS_FILE, state })
    deleting.deleteItem(ADAS_FILE)
    isConfirmed()
  })

  it('comes no more and stays on the disk while Undo is offered, and is removed after that', () => {
    expect(isListed()).toBe(false)
    expect(told).toEqual([{ do: 'leave', id: ADAS_FILE }])
    const [toast] = toasts()
    if (toast) createToaster(stores.toasts).dismiss(toast.id)
    expect(told.slice(1)).toEqual([{ do: 'forget', id: ADAS_FILE }])
  })

  it('is looked for after Undo, and stays', () => {
    undo()
    put({ type: 'receiving', id: ADAS_FILE, state: { status: 'looking' } })
    expect(told).toEqual([{ do: 'leave', id: ADAS_FILE }])
    isConfirmed()
    expect(told.slice(1)).toEqual([{ do: 'forget', id: ADAS_FILE }])
  })

  it('goes with the beam, whose Undo is over when it is left', () => {
    put({ type: 'left' })
    expect(told.slice(1)).toEqual([{ do: 'forget', id: ADAS_FILE }])
  })
})
