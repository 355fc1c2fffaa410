import { describe, expect, it } from 'vitest'
import type { Device, DeviceId, ItemId } from '../../protocol/bindings'
import { type Item, liveItem } from '../../protocol/item'
import { DIRECT } from '../../protocol/way'
import { reduceDevices } from '../../stores/devices'
import { reduceItems } from '../../stores/items'
import { arrivalNews, deviceNews, pointedOutNews, progressNews, removalNews } from './news'

const me = 'me' as DeviceId
const phone: Device = { device_id: 'phone' as DeviceId, name: 'Safari on iPhone', caps: ['files'] }
const here: Device = { device_id: me, name: 'Chrome on macOS', caps: ['files'] }
const noDevices = {
  me,
  devices: [],
  paths: {},
  names: {},
  said: {},
  people: {},
  removed: new Set<DeviceId>(),
}
const both = reduceDevices(noDevices, { type: 'listed', devices: [here, phone] })

const live = (id: string, seq: number, from = phone.device_id, message: unknown = 'a secret'): Item =>
  liveItem({ id: id as ItemId, seq, from, at: 0, extra: 'text', message }, null)
const some = reduceItems({ items: [], epoch: 'e' }, { type: 'received', item: live('a', 1) })

describe('the news', () => {
  it('says that what somebody pastes is here already, without its content', () => {
    expect(pointedOutNews({ id: 'a' as ItemId, times: 1 }, some.items)).toBe('Text is here already')
    expect(pointedOutNews({ id: null, times: 0 }, some.items)).toBeNull()
  })

  it('names kind and sender of an arrival and never its content', () => {
    const after = reduceItems(some, { type: 'received', item: live('b', 2) })
    expect(arrivalNews(some, after, both)).toBe('Text from Safari on iPhone')
  })

  it('is silent about own items and about what a beam held before', () => {
    expect(
      arrivalNews(some, reduceItems(some, { type: 'received', item: live('b', 2, me) }), both),
    ).toBeNull()
    const joined = reduceItems(some, {
      type: 'synced',
      epoch: 'f',
      oldest: 0,
      items: [live('b', 2)],
      saved: false,
    })
    expect(arrivalNews(some, joined, both)).toBeNull()
  })

  it('is silent about what was in the beam before the newest item', () => {
    const newest = reduceItems(some, { type: 'received', item: live('c', 9) })
    expect(
      arrivalNews(newest, reduceItems(newest, { type: 'received', item: live('b', 5) }), both),
    ).toBeNull()
  })

  it('announces devices that join and leave', () => {
    const alone = reduceDevices(noDevices, { type: 'listed', devices: [here] })
    const two = reduceDevices(alone, { type: 'listed', devices: [here, phone] })
    expect(deviceNews(noDevices, alone, false)).toBeNull()
    expect(deviceNews(alone, two, false)).toBe('Safari on iPhone joined')
    expect(deviceNews(two, alone, false)).toBe('Safari on iPhone left')
  })

  it('s25_says_of_a_device_that_was_here_that_it_was_removed', () => {
    const alone = reduceDevices(both, { type: 'listed', devices: [here] })
    const devices = [phone.device_id, 'long ago' as DeviceId]
    const removed = reduceDevices(alone, { type: 'removed', devices })
    expect(removalNews(alone, removed)).toBe('Safari on iPhone was removed')
    expect(removalNews(removed, reduceDevices(removed, { type: 'removed', devices }))).toBeNull()
  })

  it('e8_does_not_say_of_a_device_that_may_wait_outside_that_it_has_joined', () => {
    const alone = reduceDevices(noDevices, { type: 'listed', devices: [here] })
    expect(deviceNews(alone, both, true)).toBe('Safari on iPhone connected')
  })

  it('announces a batch once, with the number of its files, and its progress as one', () => {
    const file = (id: string, index: number) => {
      const batch = { id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId, count: 2, index }
      return live(id, 3 + index, phone.device_id, { file: { name: id, size: 100, type: '', batch } })
    }
    const first = reduceItems(some, { type: 'received', item: file('f', 0) })
    const both2 = reduceItems(first, { type: 'received', item: file('g', 1) })
    expect(arrivalNews(some, first, both)).toBe('2 files from Safari on iPhone')
    expect(arrivalNews(first, both2, both)).toBeNull()
    const at = (received: number) => ({ status: 'moving', received, bytesPerSecond: 1, way: DIRECT }) as const
    const moving = (f: number, g: number) => ({
      transfers: {
        ['f' as ItemId]: { role: 'receiving', state: at(f) } as const,
        ['g' as ItemId]: { role: 'receiving', state: at(g) } as const,
      },
    })
    expect(progressNews(moving(0, 0), moving(30, 19), both2.items)).toBeNull()
    expect(progressNews(moving(30, 19), moving(30, 20), both2.items)).toBe('2 files 25 %')
  })

  it('announces each quarter of a file once', () => {
    const message = { file: { name: 'a.zip', size: 100, type: '' } }
    const { items } = reduceItems(some, { type: 'received', item: live('f', 3, phone.device_id, message) })
    const at = (received: number) => ({
      transfers: {
        ['f' as ItemId]: {
          role: 'receiving' as const,
          state: { status: 'moving' as const, received, bytesPerSecond: 1, way: DIRECT },
        },
      },
    })
    expect(progressNews({ transfers: {} }, at(0), items)).toBe('a.zip 0 %')
    expect(progressNews(at(0), at(24), items)).toBeNull()
    expect(progressNews(at(24), at(25), items)).toBe('a.zip 25 %')
  })
})
