import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gradientOf, tiltOf } from './appearance'

describe('the appearance of an item', () => {
  it('is one of five gradients and seven tilts, the same each time', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        expect([0, 1, 2, 3, 4]).toContain(gradientOf(id))
        expect([-3, -2, -1, 0, 1, 2, 3]).toContain(tiltOf(id))
        expect(gradientOf(id)).toBe(gradientOf(id))
      }),
    )
  })

  it('uses every gradient and every tilt', () => {
    const ids = Array.from({ length: 200 }, (_, index) => `7c9e6679-7425-40de-944b-e07fc1f90a${index}`)
    expect(new Set(ids.map(gradientOf)).size).toBe(5)
    expect(new Set(ids.map(tiltOf)).size).toBe(7)
  })
})
