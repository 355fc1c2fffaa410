import { describe, expect, it } from 'vitest'
import { formatClock, formatTimeLeft } from './format-duration'

describe('time left', () => {
  it.each([
    [0, '1 s'],
    [25.2, '26 s'],
    [60, '1 min'],
    [61, '2 min'],
    [3540, '59 min'],
    [3600, '1 h'],
    [7860, '2 h 10 min'],
    [86_340, '23 h 50 min'],
    [86_341, 'more than a day'],
    [646_856_400, 'more than a day'],
    [Number.POSITIVE_INFINITY, 'more than a day'],
  ])('%d s reads %s', (seconds, text) => expect(formatTimeLeft(seconds)).toBe(`${text} left`))
})

describe('a place in a recording', () => {
  it.each([
    [0, '0:00'],
    [9.9, '0:09'],
    [69, '1:09'],
    [3601, '60:01'],
    [Number.NaN, '0:00'],
    [Number.POSITIVE_INFINITY, '0:00'],
  ])('%d s reads %s', (seconds, text) => expect(formatClock(seconds)).toBe(text))
})
