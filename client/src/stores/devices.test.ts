import { describe, expect, it } from 'vitest'
import type { Device, DeviceId } from '../protocol/bindings'
import { createDevicesStore, deviceName, fileTakers, reduceDevices } from './devices'

const device = (id: string, name: string): Device => ({ device_id: id as DeviceId, name, caps: [] })
const [first, phone, second] = [
  device('a', 'Chrome on Linux'),
  device('b', 'Safari on iPhone'),
  device('c', 'Chrome on Linux'),
] as const
const listed = (state: ReturnType<typeof reduceDevices>, ...devices: Device[]) =>
  reduceDevices(state, { type: 'listed', devices })
const nobody = createDevicesStore().getState()

it('equal devices are told apart by numbers, in the order in which they joined', () => {
  const all = listed(nobody, first, phone, second)
  const names = all.devices.map(({ device_id }) => deviceName(all, device_id))
  expect(names).toEqual(['Chrome on Linux', 'Safari on iPhone', 'Chrome on Linux 2'])
})

describe('e15 the name that a device has said', () => {
  const sealed = (one: Device): Device => ({ ...one, caps: ['e2e1'] })
  const [ada, bob] = [sealed(first), sealed(phone)]
  const said = (state: ReturnType<typeof reduceDevices>, { device_id }: Device, name: string) =>
    reduceDevices(state, { type: 'said', device: device_id, name })
  const shown = (state: ReturnType<typeof reduceDevices>) =>
    state.devices.map((one) => [one.name, deviceName(state, one.device_id)])

  it('is shown in place of that which the server says, whichever comes first', () => {
    const names = [
      ['Desk', 'Desk'],
      ['Safari on iPhone', 'Safari on iPhone'],
    ]
    expect(shown(said(listed(nobody, ada, bob), ada, 'Desk'))).toEqual(names)
    expect(shown(listed(said(nobody, ada, 'Desk'), ada, bob))).toEqual(names)
  })

  it('has a number as others have', () => {
    const state = said(said(listed(nobody, ada, bob), ada, 'Desk'), bob, 'Desk')
    expect(shown(state)).toEqual([
      ['Desk', 'Desk'],
      ['Desk', 'Desk 2'],
    ])
  })

  it('does not count while the device does not seal', () => {
    expect(shown(listed(said(nobody, phone, 'Desk'), phone))).toEqual([
      ['Safari on iPhone', 'Safari on iPhone'],
    ])
  })

  it('says nothing in another beam', () => {
    const left = reduceDevices(said(listed(nobody, ada), ada, 'Desk'), { type: 'left' })
    expect(shown(listed(left, ada))).toEqual([['Chrome on Linux', 'Chrome on Linux']])
  })
})

it('a device that left keeps the name under which it was known', () => {
  const left = listed(listed(nobody, first, second), first)
  expect(deviceName(left, second.device_id)).toBe('Chrome on Linux 2')
  expect(deviceName(left, first.device_id)).toBe('Chrome on Linux')
})

it('s25_a_device_that_was_removed_is_known_as_such_until_it_is_here_again', () => {
  const removed = reduceDevices(listed(nobody, first), { type: 'removed', devices: [phone.device_id] })
  expect(removed.removed.has(phone.device_id)).toBe(true)
  expect(listed(removed, first, phone).removed.has(phone.device_id)).toBe(false)
})

it('s33_a_file_for_one_device_is_taken_by_no_other', () => {
  const takes = (one: Device): Device => ({ ...one, caps: ['files'] })
  const all = listed(nobody, takes(first), phone, takes(second))
  const takers = (to?: DeviceId) => fileTakers(all, { to }).map(({ device_id }) => device_id)
  expect(takers()).toEqual([first.device_id, second.device_id])
  expect(takers(second.device_id)).toEqual([second.device_id])
  expect(takers(phone.device_id)).toEqual([])
})

it('e12_a_sealed_file_is_taken_by_devices_that_seal', () => {
  const all = listed(nobody, { ...first, caps: ['files', 'e2e1'] }, { ...phone, caps: ['files'] })
  const takers = (isSealed: boolean) => fileTakers(all, { isSealed }).map(({ device_id }) => device_id)
  expect(takers(true)).toEqual([first.device_id])
  expect(takers(false)).toEqual([first.device_id, phone.device_id])
})
