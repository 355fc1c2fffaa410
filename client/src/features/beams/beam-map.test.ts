import { describe, expect, it } from 'vitest'
import { beamMap } from './beam-map'

const ids = Array.from({ length: 200 }, (_, n) => `7c9e6679-7425-40de-944b-${String(n).padStart(12, '0')}`)

describe('the map of a beam', () => {
  it('is the same for the same beam and tells beams apart', () => {
    expect(beamMap(ids[0] ?? '')).toEqual(beamMap(ids[0] ?? ''))
    expect(new Set(ids.map((id) => JSON.stringify(beamMap(id)))).size).toBe(ids.length)
  })

  it('has one to six plates, all of them on the card', () => {
    for (const plates of ids.map(beamMap)) {
      expect(plates.length).toBeGreaterThan(0)
      expect(plates.length).toBeLessThanOrEqual(6)
      for (const { left, top, tilt, gradient } of plates) {
        expect(left).toBeGreaterThanOrEqual(0)
        expect(left).toBeLessThanOrEqual(100)
        expect(top).toBeLessThanOrEqual(100)
        expect(Math.abs(tilt)).toBeLessThanOrEqual(3)
        expect(gradient).toBeLessThan(5)
      }
    }
  })
})
