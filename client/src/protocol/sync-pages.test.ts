import { expect, it } from 'vitest'
import { BeamMemory } from './beam-memory'
import type { DeviceId, ItemId, LiveItem } from './bindings'
import { SyncPages } from './sync-pages'

const item = (id: string, seq: number): LiveItem => ({
  id: id as ItemId,
  message: id,
  extra: 'text',
  seq,
  from: 'ada' as DeviceId,
  at: 0,
})

it('s33_an_item_for_one_device_that_arrives_between_the_pages_stays_one', () => {
  const pages = new SyncPages()
  const forBob = { ...item('b', 2), to: 'bob' as DeviceId }
  pages.add({ epoch: 'e', oldest: 1, dropped: 0, items: [item('a', 1)], next: 1 })
  pages.received(forBob)
  expect(pages.items()).toEqual([item('a', 1), forBob])

  const memory = new BeamMemory()
  memory.synced(1, pages.items())
  memory.synced(9, [])
  expect(memory.held()?.items).toEqual([{ id: 'a', seq: 1 }])
})
