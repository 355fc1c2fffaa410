import { expect, it } from 'vitest'
import { STALL_MS, StallClock } from './stall-clock'

it('l2_a_link_is_dead_when_no_wanted_chunk_arrived_for_too_long', () => {
  const clock = new StallClock()
  clock.touch(1_000)
  expect(clock.isStalled(1_000 + STALL_MS, true)).toBe(false)
  expect(clock.isStalled(1_001 + STALL_MS, true)).toBe(true)
  expect(clock.isStalled(1_001 + STALL_MS, false)).toBe(false)
  clock.touch(1_001 + STALL_MS)
  expect(clock.isStalled(1_002 + STALL_MS, true)).toBe(false)
})
