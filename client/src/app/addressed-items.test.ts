import { beforeEach, expect, it } from 'vitest'
import type { Device, DeviceId, ItemId } from '../protocol/bindings'
import { liveItem } from '../protocol/item'
import { createStores, type Stores } from '../stores/stores'
import { AddressedItems } from './addressed-items'

const [me, phone] = ['me' as DeviceId, 'phone' as DeviceId]
const device = (device_id: DeviceId): Device => ({ device_id, name: '', caps: [] })
const item = (id: string, from: DeviceId, to?: DeviceId) => {
  const live = { id: id as ItemId, seq: 1, from, at: 0, message: id, extra: 'text' }
  return liveItem(to ? { ...live, to } : live, null)
}

let stores: Stores
let shared: unknown[]
let addressed: AddressedItems

beforeEach(() => {
  stores = createStores()
  shared = []
  addressed = new AddressedItems(stores, {
    share: (id, message, extra, to) => void shared.push([id, message, extra, to]),
    isSealed: () => false,
  })
  stores.devices.setState({ me, devices: [device(me), device(phone)] })
  stores.items.setState({
    epoch: 'old',
    items: [item('mine', me, phone), item('theirs', phone, me), item('public', me)],
  })
})

it('s33_what_this_device_sent_to_one_device_is_shared_again_after_a_restart', () => {
  addressed.synced('new', [])
  expect(shared).toEqual([['mine', 'mine', 'text', 'phone']])
  addressed.listed()
  expect(shared).toHaveLength(1)
})

it('s33_waits_for_the_device_that_gets_it', () => {
  stores.devices.setState({ devices: [device(me)] })
  addressed.synced('new', [])
  expect(shared).toEqual([])
  stores.devices.setState({ devices: [device(me), device(phone)] })
  addressed.listed()
  expect(shared).toHaveLength(1)
})

it('s33_shares_nothing_that_the_server_still_has_or_that_was_deleted_meanwhile', () => {
  addressed.synced('old', [])
  addressed.synced('new', [{ id: 'mine' as ItemId }])
  expect(shared).toEqual([])
  stores.devices.setState({ devices: [device(me)] })
  addressed.synced('newer', [])
  stores.items.setState({ items: [] })
  stores.devices.setState({ devices: [device(me), device(phone)] })
  addressed.listed()
  expect(shared).toEqual([])
})
