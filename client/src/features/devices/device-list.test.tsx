// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Device, DeviceId } from '../../protocol/bindings'
import { reduceDevices } from '../../stores/devices'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { DevicePopover } from './device-list'

afterEach(cleanup)

it('equal devices have numbers, and “This device” is before the name of a person', () => {
  const laptop = (id: string, more: Partial<Device> = {}): Device => ({
    device_id: id as DeviceId,
    name: 'Chrome on Linux',
    caps: [],
    ...more,
  })
  const devices = [
    laptop('a'),
    laptop('me', { username: 'ada', first_name: 'Ada '.repeat(20), last_name: '' }),
  ]
  const stores = createStores()
  stores.devices.setState(
    (state) => ({ ...reduceDevices(state, { type: 'listed', devices }), me: 'me' as DeviceId }),
    true,
  )
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <DevicePopover />
    </AppContext>,
  )
  const [other, mine] = screen.getAllByRole('listitem')
  expect(other?.textContent).toBe('Chrome on Linux')
  expect(mine?.textContent).toMatch(/^Chrome on Linux 2This device · Ada/)
})
