import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, pendingItem, storedItemMessage } from '../protocol/item'
import {
  createKeepingStore,
  isStored,
  type Keeping,
  type KeepingEvent,
  livesOnOneDevice,
  mayEndKeeping,
  reduceKeeping,
} from './keeping'

const ME = 'me' as DeviceId
const OTHER = 'other' as DeviceId
const kept = { until: 5, by: ME }
const told = (...events: readonly KeepingEvent[]): Keeping =>
  events.reduce(reduceKeeping, createKeepingStore().getState())

describe('the keeping of a beam', () => {
  it('is what the server said last', () => {
    expect(told({ type: 'welcomed', kept, isForgotten: false }).kept).toEqual(kept)
    expect(told({ type: 'changed', kept }, { type: 'changed', kept: null }).kept).toBeNull()
    expect(told({ type: 'changed', kept }, { type: 'left' }).kept).toBeNull()
  })

  it('is offered again once another device has been here', () => {
    const declined = told({ type: 'declined' }, { type: 'devices', count: 1 })
    expect(declined.isDeclined).toBe(true)
    expect(reduceKeeping(declined, { type: 'devices', count: 2 }).isDeclined).toBe(false)
  })

  it.each([
    [ME, false, true],
    [OTHER, false, false],
    [OTHER, true, true],
  ])('s30_is_ended_by_who_asked_and_by_the_creator (%s, creator: %s)', (by, creator, may) => {
    const keeping = told({ type: 'changed', kept: { until: 5, by } })
    expect(mayEndKeeping({ kind: 'unsaved', creator }, keeping, ME)).toBe(may)
  })

  it('that is none cannot be ended', () => {
    expect(mayEndKeeping({ kind: 'unsaved', creator: true }, told(), ME)).toBe(false)
  })
})

it('p27_a_file_of_a_saved_or_kept_beam_lives_on_one_device_until_the_server_has_a_copy', () => {
  const file = { name: 'a.png', size: 4, type: 'image/png' }
  const itemOf = ({ message, extra }: { message: unknown; extra: string }) =>
    pendingItem('i' as ItemId, message, extra, 0)
  const stored = itemOf(storedItemMessage({ ...file, url: '/api/uploads/0123456789abcdef' }))
  expect(livesOnOneDevice(true, itemOf(fileItemMessage(file)))).toBe(true)
  expect(livesOnOneDevice(true, stored)).toBe(false)
  expect(livesOnOneDevice(true, itemOf({ message: 'x', extra: 'text' }))).toBe(false)
  expect(livesOnOneDevice(false, itemOf(fileItemMessage(file)))).toBe(false)
})

it('h32_a_kept_beam_stores_files_like_a_saved_one', () => {
  expect(isStored({ kind: 'unsaved', creator: true }, told())).toBe(false)
  expect(isStored({ kind: 'unsaved', creator: true }, told({ type: 'changed', kept }))).toBe(true)
})
