import { expect, it } from 'vitest'
import { PROGRESS_INTERVAL_MS, Speed } from './progress'

/** Samples at the interval of the reports. Returns the last speed. */
function after(speed: Speed, from: number, seconds: number, perSecond: number, bytes: number): number {
  let last = 0
  for (let ms = PROGRESS_INTERVAL_MS; ms <= seconds * 1000; ms += PROGRESS_INTERVAL_MS) {
    last = speed.sample(bytes + (perSecond * ms) / 1000, from + ms)
  }
  return last
}

it('a steady transfer has its own speed', () => {
  const speed = new Speed()
  speed.sample(0, 0)
  expect(after(speed, 0, 5, 1_000_000, 0)).toBeCloseTo(1_000_000)
})

it('a transfer of which nothing moves any more has no speed, and has one again when it goes on', () => {
  const speed = new Speed()
  speed.sample(0, 0)
  after(speed, 0, 5, 1_000_000, 0)
  expect(after(speed, 5_000, 3, 0, 5_000_000)).toBeGreaterThan(0)
  expect(after(speed, 8_000, 2, 0, 5_000_000)).toBe(0)
  expect(after(speed, 10_000, 1, 1_000_000, 5_000_000)).toBeGreaterThan(100_000)
})
