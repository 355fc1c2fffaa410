import { beforeEach, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { liveItem } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import type { Context } from './context'
import { createDeleting } from './deleting'
import { createToaster } from './toaster'

const ITEM = 'a' as ItemId

/** A live channel that notes what is shared into it. */
const channel = (shared: unknown[]) =>
  ({
    delete: () => {},
    share: (_id: ItemId, message: unknown) => void shared.push(message),
  }) as Partial<LiveBeam> as LiveBeam

let stores: Stores
let live: LiveBeam
let shared: unknown[]
let restore: (() => void) | undefined

beforeEach(() => {
  stores = createStores()
  shared = []
  live = channel(shared)
  const item = { id: ITEM, seq: 1, from: 'd' as DeviceId, at: 0, message: 'a secret', extra: 'text' }
  stores.items.setState({ items: [liveItem(item, null)], epoch: 'e' })
  const transfers = { tell: () => {}, offered: () => null } as Partial<Transfers> as Transfers
  const context: Context = { stores, transfers, toaster: createToaster(stores.toasts), live: () => live }
  createDeleting(context).deleteItem(ITEM)
  restore = stores.toasts.getState().toasts[0]?.action?.run
})

it('is undone in the beam in which it was done, once', () => {
  restore?.()
  restore?.()
  expect(shared).toEqual(['a secret'])
  expect(stores.items.getState().items).toMatchObject([{ message: 'a secret', seq: null }])
})

it('is not undone into another beam', () => {
  const elsewhere: unknown[] = []
  live = channel(elsewhere)
  restore?.()
  expect([...shared, ...elsewhere]).toEqual([])
  expect(stores.items.getState().items).toEqual([])
})
