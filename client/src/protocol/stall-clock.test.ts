import { expect, it } from 'vitest'
import { STALL_MS, StallClock } from './stall-clock'

it('l2_a_link_is_dead_when_no_wanted_chunk_arrived_for_too_long', () => {
  const clock = new StallClock()
  clock.touch(1_000)
  expect(clock.isStalled(1_000 + STALL_MS, 1)).toBe(false)
  expect(clock.isStalled(1_001 + STALL_MS, 1)).toBe(true)
  clock.touch(1_001 + STALL_MS)
  expect(clock.isStalled(1_002 + STALL_MS, 1)).toBe(false)
})

it('l2_links_that_share_a_way_are_given_more_time', () => {
  const clock = new StallClock()
  clock.touch(0)
  expect(clock.isStalled(4 * STALL_MS, 16)).toBe(false)
  expect(clock.isStalled(4 * STALL_MS + 1, 16)).toBe(true)
})
