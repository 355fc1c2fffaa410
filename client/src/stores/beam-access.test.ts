import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId, Role } from '../protocol/bindings'
import { type Item, pendingItem } from '../protocol/item'
import { type BeamAccess, mayDelete, mayRemoveDevices, mayShare } from './beam-access'

const saved = (role: Role, by_link = false): BeamAccess => ({
  kind: 'saved',
  saved: { beam_name: 'Cabin', role, link_access: 'write', by_link },
})
const item = (note: Item['note']): Item => ({
  id: 'i' as ItemId,
  seq: 1,
  from: 'd' as DeviceId,
  at: 0,
  content: { kind: 'text', text: 'x' },
  message: 'x',
  extra: 'text',
  note,
})

it('s33_whoever_has_an_item_for_one_device_may_delete_it', () => {
  expect(mayDelete(saved('read'), { ...item(null), to: 'me' as DeviceId })).toBe(true)
})

describe('what a level allows', () => {
  it.each<[string, BeamAccess, boolean, boolean, boolean, boolean]>([
    // access, shares, deletes its own note, deletes another's, removes devices
    ['read', saved('read'), false, false, false, false],
    ['write', saved('write'), true, true, false, false],
    ['write_by_the_link_alone', saved('write', true), true, false, false, false],
    ['admin', saved('admin'), true, true, true, true],
    ['owner', saved('owner'), true, true, true, true],
  ])('s24_s26_%s', (_name, access, shares, own, others, removes) => {
    expect(mayShare(access)).toBe(shares)
    expect(mayDelete(access, item({ mine: true }))).toBe(own)
    expect(mayDelete(access, item({ mine: false }))).toBe(others)
    expect(mayRemoveDevices(access)).toBe(removes)
  })

  it('is everything but removing devices for a guest of an unsaved beam', () => {
    const guest: BeamAccess = { kind: 'unsaved', creator: false }
    expect(mayShare(guest)).toBe(true)
    expect(mayDelete(guest, item(null))).toBe(true)
    expect(mayRemoveDevices(guest)).toBe(false)
    expect(mayRemoveDevices({ kind: 'unsaved', creator: true })).toBe(true)
  })

  it('is to delete an item that the server refused, at any level', () => {
    const refused = pendingItem('i' as ItemId, 'x', 'text', 0)
    expect(mayDelete(saved('read'), refused)).toBe(true)
  })
})
