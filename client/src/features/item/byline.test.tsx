// @vitest-environment jsdom
import { cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Device, DeviceId, ItemId } from '../../protocol/bindings'
import { type Item, liveItem } from '../../protocol/item'
import { reduceDevices } from '../../stores/devices'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { Byline } from './byline'

const device = (id: string, more: Partial<Device> = {}): Device => ({
  device_id: id as DeviceId,
  name: 'Chrome on Linux',
  caps: [],
  ...more,
})

let stores: Stores

const lists = (...devices: readonly Device[]) =>
  stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices }), true)
const by = (from: string, mine = false): Item =>
  liveItem(
    { id: 'i' as ItemId, seq: 1, from: from as DeviceId, at: Date.now(), message: 'hi', extra: 'text' },
    mine ? { mine } : null,
  )
const said = (item: Item) => {
  cleanup()
  return render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <Byline item={item} />
    </AppContext>,
  ).container
}

beforeEach(() => {
  stores = createStores()
  lists(device('me'), device('other'))
  stores.devices.setState({ me: 'me' as DeviceId })
})
afterEach(cleanup)

it('says who shared an item, and tells equal devices apart', () => {
  expect(said(by('me')).textContent).toBe('Younow')
  expect(said(by('other')).textContent).toBe('from Chrome on Linux2now')
  expect(said(by('other')).querySelector('[title]')?.getAttribute('title')).toMatch(
    /^from Chrome on Linux 2, /,
  )
})

it('names the person, and still knows the author who has left', () => {
  lists(device('me'), device('other', { username: 'mira', first_name: 'Mira', last_name: '' }))
  lists(device('me'))
  expect(said(by('other')).textContent).toBe('from Mira · Chrome on Linux2now')
})

it('does not invent an author that this page never saw', () => {
  expect(said(by('unknown')).textContent).toBe('from a device that leftnow')
  expect(said(by('unknown', true)).textContent).toBe('Younow')
})
