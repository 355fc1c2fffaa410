import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { begins, DEVICE, join, messages, reconnect, server, told } from './live-beam-stage'

const OTHER = '31234567-89ab-8cde-8f01-23456789abcd' as DeviceId

beforeEach(begins)
afterEach(() => vi.useRealTimers())

const lists = (...devices: readonly DeviceId[]) =>
  server.says({
    type: 'authed_users',
    message: devices.map((device_id) => ({ device_id, name: '', caps: ['files'] })),
  })

/** Which devices the page was told to be removed, in that order. */
const removed = () => messages('devices_removed')

const asked = () =>
  server.heard().filter((message) => (message as { type: string }).type === 'remove_device').length

/** A person has asked to remove a device. */
function asks() {
  const live = join()
  server.accepts()
  lists(DEVICE, OTHER)
  live.removeDevice(DEVICE)
  return live
}

describe('e15 a device whose removal was asked for', () => {
  it('counts as removed once the server lists it no more, though it says nothing of it', () => {
    const live = asks()
    lists(OTHER, DEVICE)
    expect(removed()).toEqual([])
    lists(OTHER)
    expect(removed()).toEqual([[DEVICE]])
    expect(live.hasRemoved([DEVICE])).toBe(true)
    // The page knows the list of those that are here already.
    expect(told.map(({ type }) => type).slice(-2)).toEqual(['authed_users', 'devices_removed'])
  })

  it('is told to be removed once, where the server says it too', () => {
    asks()
    lists(OTHER)
    server.says({ type: 'devices_removed', message: [DEVICE] })
    expect(removed()).toEqual([[DEVICE]])
    server.says({ type: 'devices_removed', message: [DEVICE, OTHER] })
    expect(removed()).toEqual([[DEVICE], [DEVICE, OTHER]])
  })

  it('counts as removed also where it is gone with the next socket', async () => {
    asks()
    await reconnect()
    lists(OTHER)
    expect(removed()).toEqual([[DEVICE]])
  })

  it('s25 is asked for again over the next socket, as long as it is here', async () => {
    asks()
    await reconnect()
    expect(asked()).toBe(1)
    lists(OTHER)
    await reconnect()
    expect(asked()).toBe(0)
  })

  it('counts as removed once more where it was listed again', () => {
    asks()
    for (let times = 0; times < 2; times += 1) {
      lists(OTHER)
      lists(OTHER, DEVICE)
    }
    expect(removed()).toEqual([[DEVICE], [DEVICE]])
  })

  it('stays where the server refuses that', () => {
    const live = asks()
    expect(live.refusedRemoval(DEVICE, 'relay_full')).toBe(false)
    expect(live.refusedRemoval(DEVICE, 'forbidden')).toBe(true)
    expect(live.refusedRemoval(DEVICE, 'forbidden')).toBe(false)
    expect(live.hasRemoved([DEVICE])).toBe(false)
    lists(OTHER)
    expect(removed()).toEqual([])
  })

  it('counts as removed where the server says that it is gone', () => {
    const live = asks()
    expect(live.refusedRemoval(DEVICE, 'device_gone')).toBe(true)
    expect(live.hasRemoved([DEVICE])).toBe(true)
  })
})

it('e15 a device that leaves by itself is not removed', () => {
  join()
  server.accepts()
  lists(DEVICE, OTHER)
  lists(OTHER)
  expect(removed()).toEqual([])
})
