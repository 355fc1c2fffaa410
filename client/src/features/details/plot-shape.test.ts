import { expect, it } from 'vitest'
import { plotShape } from './plot-shape'

it('the highest speed is at the top, and none at the ground', () => {
  expect(plotShape([0, 50, 100])?.line).toBe('M0,40L50,20L100,0')
})

it('the area reaches down to the ground at both ends', () => {
  expect(plotShape([100, 100])?.area).toBe('M0,0L100,0L100,40L0,40Z')
})

it('a single speed is no plot, and a pause throughout is a line on the ground', () => {
  expect(plotShape([5])).toBeNull()
  expect(plotShape([0, 0])?.line).toBe('M0,40L100,40')
})
