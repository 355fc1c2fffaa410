import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flow, NOTE_WIDTH, type Placed } from './layout'

const heights = fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 40 })
const width = fc.integer({ min: 256, max: 3840 })

function overlap(a: Placed, aHeight: number, b: Placed, bHeight: number): boolean {
  const apart = a.x + NOTE_WIDTH <= b.x || b.x + NOTE_WIDTH <= a.x
  return !apart && a.y < b.y + bHeight && b.y < a.y + aHeight
}

describe('the flow of notes', () => {
  it('puts four beside each other at 1440 px, and fills the shortest column next', () => {
    const { places, height } = flow([200, 100, 300, 250, 80], 1440)
    expect(places.map((place) => place.x)).toEqual([84, 423, 761, 1100, 423])
    expect(places[4]?.y).toBe(150)
    expect(height).toBe(300)
  })

  it('never lets two notes overlap', () => {
    fc.assert(
      fc.property(heights, width, (list, wide) => {
        const { places } = flow(list, wide)
        const clash = places.some((a, i) =>
          places.some((b, j) => i < j && overlap(a, list[i] ?? 0, b, list[j] ?? 0)),
        )
        expect(clash).toBe(false)
      }),
    )
  })

  it('never moves a note for one that comes after it', () => {
    fc.assert(
      fc.property(heights, width, fc.integer({ min: 1, max: 900 }), (list, wide, next) => {
        expect(flow([...list, next], wide).places.slice(0, -1)).toEqual(flow(list, wide).places)
      }),
    )
  })
})
