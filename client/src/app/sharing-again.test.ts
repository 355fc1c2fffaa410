import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type Lacking, SharingAgain } from './sharing-again'

const ITEM = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId
const [ADA, BOB, EVE] = ['ada', 'bob', 'eve'] as [DeviceId, DeviceId, DeviceId]
const BREAD: Lacking = { id: ITEM, from: ADA, message: 'e2e1.AAAA' }

let sealing: readonly DeviceId[]
let lacking: Lacking | undefined
const share = vi.fn()

const deviceOf = (me: DeviceId) =>
  new SharingAgain({ sealing: () => sealing, me: () => me, lacking: () => lacking, share })

beforeEach(() => {
  vi.useFakeTimers()
  share.mockClear()
  sealing = [EVE, BOB, ADA]
  lacking = BREAD
})
afterEach(() => vi.useRealTimers())

describe('an item that the server lacks', () => {
  it('is shared again at once by the device that shared it', () => {
    deviceOf(ADA).look(ITEM)
    vi.advanceTimersByTime(0)
    expect(share.mock.calls).toEqual([[BREAD]])
  })

  it('is shared again by the next device where that one does not', () => {
    deviceOf(BOB).look(ITEM)
    vi.advanceTimersByTime(3_999)
    expect(share).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(share).toHaveBeenCalledOnce()
  })

  it('is shared again at once by the first device where the one that shared it is away', () => {
    sealing = [BOB, EVE]
    deviceOf(BOB).look(ITEM)
    vi.advanceTimersByTime(0)
    expect(share).toHaveBeenCalledOnce()
  })

  it('is left to the device that has shared it again meanwhile', () => {
    deviceOf(BOB).look(ITEM)
    lacking = undefined
    vi.advanceTimersByTime(10_000)
    expect(share).not.toHaveBeenCalled()
  })

  it('is shared again three times a minute at most', () => {
    const ada = deviceOf(ADA)
    for (let times = 0; times < 5; times += 1) {
      ada.look(ITEM)
      vi.advanceTimersByTime(1_000)
    }
    expect(share).toHaveBeenCalledTimes(3)
    vi.advanceTimersByTime(60_000)
    ada.look(ITEM)
    vi.advanceTimersByTime(0)
    expect(share).toHaveBeenCalledTimes(4)
  })

  it('is not shared again once the beam was left', () => {
    const ada = deviceOf(ADA)
    ada.look(ITEM)
    ada.end()
    vi.advanceTimersByTime(0)
    expect(share).not.toHaveBeenCalled()
  })
})
