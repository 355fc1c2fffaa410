// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Device, DeviceId, ItemId } from '../../protocol/bindings'
import { pendingItem } from '../../protocol/item'
import type { BeamAccess } from '../../stores/beam-access'
import { reduceDevices } from '../../stores/devices'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { StatusPill } from './status-pill'

const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const laptop: Device = { device_id: 'laptop' as DeviceId, name: 'Chrome on Linux', caps: ['e2e1'] }
const phone: Device = { device_id: 'phone' as DeviceId, name: 'Safari on iPhone', caps: ['e2e1'] }

let stores: Stores

beforeEach(() => {
  stores = createStores()
  stores.connection.setState({ status: 'live' }, true)
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [laptop, phone] }), true)
})
afterEach(cleanup)

const shows = () =>
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <StatusPill />
    </AppContext>,
  )

it.each([
  [false, 'Waiting to be let in'],
  [true, 'Link not valid any more'],
])('e6_nobody_is_said_to_wait_with_a_link_that_lets_nobody_in', (isLinkOld, says) => {
  stores.encryption.setState({ kind: 'waiting', isLinkOld }, true)
  shows()
  expect(screen.getByRole('button').textContent).toBe(says)
})

it.each<[string, BeamAccess, string]>([
  ['an unsaved beam', { kind: 'unsaved', creator: false }, 'This device was removed from this beam'],
  ['one that may be shared with certain people', { kind: 'unknown' }, 'You cannot join this beam'],
])('s25_over_the_items_of_%s_it_says_why_it_is_closed', (_what, access, says) => {
  stores.access.setState(access, true)
  stores.items.setState({ items: [pendingItem(ITEM, 'bread', 'text', 0)] })
  stores.connection.setState({ status: 'stopped', why: 'forbidden' }, true)
  shows()
  expect(screen.getByRole('status').textContent).toContain(says)
})

describe('the list of devices', () => {
  it('is opened and closed by its pill', async () => {
    shows()
    fireEvent.click(screen.getByRole('button', { name: 'Encrypted · 2 devices' }))
    await screen.findByRole('heading', { name: '2 devices in this beam' })
    fireEvent.click(screen.getByRole('button', { name: 'Encrypted · 2 devices' }))
    expect(screen.queryByRole('heading')).toBeNull()
  })

  it('is opened at the device that the person wants to see', async () => {
    const scrollsTo = vi.fn(function (this: Element) {
      return this.textContent
    })
    Element.prototype.scrollIntoView = scrollsTo
    shows()
    act(() => stores.deviceList.setState({ kind: 'open', at: phone.device_id }, true))
    await screen.findByRole('heading', { name: '2 devices in this beam' })
    await vi.waitFor(() => expect(scrollsTo.mock.results[0]?.value).toContain('Safari on iPhone'))
    expect(scrollsTo).toHaveBeenCalledOnce()
  })

  it('is closed where the page with its pill is left', () => {
    const { unmount } = shows()
    act(() => stores.deviceList.setState({ kind: 'open', at: null }, true))
    unmount()
    expect(stores.deviceList.getState()).toEqual({ kind: 'closed' })
  })
})
