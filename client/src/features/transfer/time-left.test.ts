import { expect, it } from 'vitest'
import { numbersFrom } from '../../protocol/seeded-numbers'
import { type Estimate, NO_ESTIMATE, nextEstimate } from './time-left'

const TICK_MS = 250

/** Returns what is told at each tick of a transfer of so many bytes whose rate, in bytes a second, changes. */
function told(bytes: number, rate: (second: number) => number): (number | null)[] {
  const all: (number | null)[] = []
  let estimate: Estimate = NO_ESTIMATE
  let left = bytes
  for (let now = 0; left > 0; now += TICK_MS) {
    estimate = nextEstimate(estimate, left, now)
    all.push(estimate.told)
    left -= (rate(now / 1000) * TICK_MS) / 1000
  }
  return all
}

const known = (times: readonly (number | null)[]) => times.filter((time) => time !== null)
/** How often the time became longer. */
const stepsBack = (times: readonly (number | null)[]) =>
  known(times).filter((time, at, all) => at > 0 && time > (all[at - 1] ?? 0)).length
const changes = (times: readonly (number | null)[]) =>
  known(times).filter((time, at, all) => at > 0 && time !== all[at - 1]).length

it('nothing is told in the first two seconds', () => {
  const times = told(10_000, () => 100)
  expect(times.slice(0, 8)).toEqual(Array(8).fill(null))
  expect(times[8]).not.toBeNull()
})

it('an even transfer is counted down in steps: minutes, five seconds, seconds', () => {
  const times = told(100 * 200, () => 100)
  expect([...new Set(known(times))]).toEqual([
    240, 180, 120, 60, 55, 50, 45, 40, 35, 30, 25, 20, 15, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
  ])
})

it('a rate that sways by a half never makes the time longer', () => {
  const times = told(100 * 300, (second) => (second % 1 < 0.5 ? 150 : 50))
  expect(stepsBack(times)).toBe(0)
})

it('a rate that is chance changes what is told no more often than an even one', () => {
  const chance = numbersFrom(7)
  const times = told(100 * 300, () => 40 + Math.floor(120 * chance()))
  expect(stepsBack(times)).toBeLessThanOrEqual(2)
  expect(changes(times)).toBeLessThan(40)
})

it('a way that becomes much slower is told within the ten seconds', () => {
  const times = told(100 * 100, (second) => (second < 20 ? 100 : 10))
  expect(times[4 * 20]).toBeLessThanOrEqual(120)
  expect(times[4 * 31]).toBeGreaterThan(600)
})

it('a way that becomes much faster is told within the ten seconds', () => {
  const times = told(100 * 1_000, (second) => (second < 20 ? 100 : 1_000))
  expect(times[4 * 20]).toBeGreaterThan(900)
  expect(times[4 * 31]).toBeLessThanOrEqual(120)
})

it('a further file of a batch makes the time longer, and the rate no slower', () => {
  let estimate: Estimate = NO_ESTIMATE
  for (let now = 0; now <= 10_000; now += TICK_MS) estimate = nextEstimate(estimate, 5_000 - now / 10, now)
  expect(estimate.told).toBe(40)
  estimate = nextEstimate(estimate, 5_000 - 1_025 + 1_000, 10_250)
  expect(estimate.told).toBe(55)
})
