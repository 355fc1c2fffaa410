import { expect, it } from 'vitest'
import { formatUntil } from './until'

const NOON = new Date(2026, 10, 23, 12, 5).getTime()
const HOUR = 3_600_000

it('names the time today, and the day before the time otherwise', () => {
  expect(formatUntil(NOON + HOUR, NOON)).toBe('13:05')
  expect(formatUntil(NOON + 24 * HOUR, NOON)).toBe('Tue 12:05')
})
