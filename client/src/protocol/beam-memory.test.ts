import { beforeEach, describe, expect, it } from 'vitest'
import { BeamMemory } from './beam-memory'
import { type DeviceId, type ItemId, type LiveItem, MAX_HELD_ITEMS } from './bindings'

const item = (id: string, seq: number): LiveItem => ({
  id: id as ItemId,
  seq,
  message: id,
  extra: 'text',
  from: 'd' as DeviceId,
  at: 0,
})
const ids = () => memory.held()?.items.map(({ id }) => id) ?? []

let memory: BeamMemory
beforeEach(() => {
  memory = new BeamMemory()
})

describe('s28_what_a_device_holds', () => {
  it('is nothing while the server has everything', () => {
    memory.synced(1, [item('a', 1)])
    memory.received(item('b', 2))
    expect(memory.held()).toBeNull()
  })

  it('is every item of the memory that the server has lost, and the range in which it knows them all', () => {
    memory.synced(3, [item('a', 3)])
    memory.received(item('c', 5))
    memory.received(item('b', 4))
    memory.synced(100, [])
    expect(memory.held()).toEqual({
      known: [[3, 5]],
      items: [
        { id: 'a', seq: 3 },
        { id: 'b', seq: 4 },
        { id: 'c', seq: 5 },
      ],
    })
  })

  it('lacks what was deleted, and tells so by the range even when nothing is left', () => {
    memory.synced(1, [item('a', 1), item('b', 2), item('c', 3)])
    memory.deleted('a' as ItemId, null)
    memory.deleted(undefined, 'b')
    memory.synced(100, [])
    expect(memory.held()).toEqual({ known: [[1, 3]], items: [{ id: 'c', seq: 3 }] })
    memory.deleted('c' as ItemId, null)
    expect(memory.held()).toEqual({ known: [[1, 3]], items: [] })
  })

  it('has its old number after it came back, and lengthens no range', () => {
    memory.synced(1, [item('a', 1)])
    memory.synced(100, [])
    memory.received(item('z', 50))
    expect(memory.held()).toMatchObject({ known: [[1, 1]] })
    expect(ids()).toEqual(['a', 'z'])
  })

  it('is kept over several losses, with a gap where others may have shared', () => {
    memory.synced(1, [item('a', 1)])
    memory.synced(100, [item('b', 100)])
    memory.synced(200, [])
    expect(memory.held()?.known).toEqual([
      [1, 1],
      [100, 100],
    ])
    expect(ids()).toEqual(['a', 'b'])
  })

  it('has a sealed item that the server deleted until it is known that the deletion counts', () => {
    const sealed = { ...item('a', 1), message: 'e2e1.AAAA' }
    memory.synced(1, [sealed, item('b', 2)])
    memory.taken('a' as ItemId, null)
    memory.taken('b' as ItemId, null)
    memory.synced(1, [])
    expect([memory.given, memory.doubted]).toEqual([[], [sealed]])
    memory.synced(100, [])
    expect(ids()).toEqual(['a'])
    memory.confirmed('a' as ItemId, null)
    expect([memory.doubted, ids()]).toEqual([[], []])
  })

  it('has a sealed item that was shared again before its deletion was known to count', () => {
    const sealed = { ...item('a', 1), message: 'e2e1.AAAA' }
    memory.received(sealed)
    memory.taken(undefined, 'e2e1.AAAA')
    expect(memory.isGiven(sealed.id, sealed.message)).toBe(false)
    memory.received({ ...sealed, seq: 2 })
    memory.confirmed(sealed.id, null)
    expect(memory.isGiven(sealed.id, sealed.message)).toBe(true)
  })

  it('grows with a sync of the same memory, in which what is lacking was deleted', () => {
    memory.synced(1, [item('a', 1), item('b', 2)])
    memory.synced(1, [item('b', 2), item('c', 3)])
    memory.synced(100, [])
    expect(memory.held()?.known).toEqual([[1, 3]])
    expect(ids()).toEqual(['b', 'c'])
  })

  it('keeps what the server has dropped for lack of room', () => {
    memory.synced(1, [item('a', 1), item('b', 2)])
    memory.synced(2, [item('b', 2)])
    expect(memory.held()).toEqual({ known: [[1, 1]], items: [{ id: 'a', seq: 1 }] })
  })

  it('s30_is_what_a_kept_beam_never_stored, after each of its restarts', () => {
    memory.synced(1, [item('a', 1), item('b', 2)])
    for (const stored of [
      [item('c', 101), item('d', 102)],
      [item('d', 102)],
      [item('b', 2), item('d', 102)],
    ]) {
      memory.synced(101, stored)
      expect(memory.held()).toEqual({
        known: [[1, 2]],
        items: [
          { id: 'a', seq: 1 },
          { id: 'b', seq: 2 },
        ],
      })
    }
    expect(memory.knows('c' as ItemId)).toBe(true)
    memory.synced(201, [])
    expect(ids()).toEqual(['a', 'b', 'd'])
  })

  it('lacks what this device is deleting', () => {
    memory.synced(1, [item('a', 1), item('b', 2)])
    memory.synced(100, [])
    expect(memory.held(['a' as ItemId])?.items.map(({ id }) => id)).toEqual(['b'])
  })

  it('of too many items is the newest, and no range reaches further than they do', () => {
    const many = Array.from({ length: MAX_HELD_ITEMS + 5 }, (_, at) => item(`${at + 1}`, at + 1))
    memory.synced(1, many)
    memory.synced(10_000, [])
    expect(memory.held()?.items).toHaveLength(MAX_HELD_ITEMS)
    expect(memory.held()?.known).toEqual([[6, MAX_HELD_ITEMS + 5]])
  })
})

it('e14_knows_what_the_server_has_given, and not what only devices have', () => {
  const given = () => memory.given.map(({ id }) => id)
  memory.synced(10, [item('b', 11), item('a', 10)])
  memory.received(item('c', 12))
  memory.remember([item('old', 3)])
  expect(given()).toEqual(['a', 'b', 'c'])
  memory.deleted('b' as ItemId, null)
  expect(given()).toEqual(['a', 'c'])
  memory.synced(10, [item('c', 12)])
  expect(given()).toEqual(['c'])
})
