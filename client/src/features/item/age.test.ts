import { expect, it } from 'vitest'
import { formatAge } from './age'

it.each([
  [-5000, 'now'],
  [59_999, 'now'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [86_399_999, '23 h'],
  [86_400_000, '1 d'],
])('%d ms ago reads %s', (age, text) => expect(formatAge(1_000_000, 1_000_000 + age)).toBe(text))
