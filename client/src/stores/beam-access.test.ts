import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId, Role } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { type BeamAccess, mayDelete, mayRemoveDevices, mayShare } from './beam-access'

const saved = (role: Role): BeamAccess => ({
  kind: 'saved',
  saved: { beam_name: 'Cabin', role, link_access: 'write' },
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

describe('what a level allows', () => {
  it.each<[Role, boolean, boolean, boolean, boolean]>([
    // role, shares, deletes its own note, deletes another's, removes devices
    ['read', false, false, false, false],
    ['write', true, true, false, false],
    ['admin', true, true, true, true],
    ['owner', true, true, true, true],
  ])('s24_s26_%s', (role, shares, own, others, removes) => {
    const access = saved(role)
    expect(mayShare(access)).toBe(shares)
    expect(mayDelete(access, item({ mine: true }))).toBe(own)
    expect(mayDelete(access, item({ mine: false }))).toBe(others)
    expect(mayRemoveDevices(access)).toBe(removes)
  })

  it('is everything but sending devices away for a guest of an unsaved beam', () => {
    const guest: BeamAccess = { kind: 'unsaved', creator: false }
    expect(mayShare(guest)).toBe(true)
    expect(mayDelete(guest, item(null))).toBe(true)
    expect(mayRemoveDevices(guest)).toBe(false)
    expect(mayRemoveDevices({ kind: 'unsaved', creator: true })).toBe(true)
  })
})
