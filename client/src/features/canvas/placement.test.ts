import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { barsOf } from './bars'
import { type Box, type Size, touches } from './geometry'
import { BAR_GAP, type Ground, NOTE_GAP, placer, type Random } from './placement'

const SCREEN = { width: 1440, height: 900 }
const NOTE = { width: 256, height: 200, own: true }

/** Random numbers that are the same for the same seed. */
function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 }).map(seeded)

function ground(screen: Size = SCREEN, notes: Box[] = [], code: 'large' | 'corner' = 'corner'): Ground {
  return { view: { x: 0, y: 0, ...screen }, bars: barsOf(screen, code), notes }
}

function placed(count: number, on: Ground, random: Random, note = NOTE): Box[] {
  const place = placer(on, random)
  return Array.from({ length: count }, () => ({
    ...place(note),
    width: note.width,
    height: note.height,
  }))
}

function overlapping(boxes: readonly Box[]): number {
  return boxes.filter((box, at) => boxes.some((other, index) => index < at && touches(box, other, NOTE_GAP)))
    .length
}

describe('the place of a new note', () => {
  it('is beside the large code while no other device is here', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        // Each text arrives alone, among those that are there.
        const notes: Box[] = []
        for (let at = 0; at < 4; at += 1) {
          notes.push(...placed(1, ground(SCREEN, [...notes], 'large'), random))
        }
        const [code] = barsOf(SCREEN, 'large').filter(({ height }) => height > 400)
        expect(code).toBeDefined()
        for (const note of notes) expect(code && touches(note, code)).toBe(false)
        expect(overlapping(notes)).toBe(0)
      }),
    )
  })

  it('is in view, 50 px from its edges, and 50 px from every bar', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        const [box] = placed(1, ground(), random)
        if (!box) throw new Error('no note')
        expect(box.x).toBeGreaterThanOrEqual(50)
        expect(box.y).toBeGreaterThanOrEqual(50)
        expect(box.x + box.width).toBeLessThanOrEqual(SCREEN.width - 50)
        expect(box.y + box.height).toBeLessThanOrEqual(SCREEN.height - 50)
        expect(barsOf(SCREEN, 'corner').some((bar) => touches(box, bar, BAR_GAP))).toBe(false)
      }),
    )
  })

  it('differs from time to time', () => {
    const places = Array.from({ length: 20 }, (_, seed) => placed(1, ground(), seeded(seed + 1))[0])
    expect(new Set(places.map((box) => `${box?.x} ${box?.y}`)).size).toBeGreaterThan(15)
  })

  it('leaves eight notes side by side on 1440 × 900', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        expect(overlapping(placed(8, ground(), random))).toBe(0)
      }),
    )
  })

  it('is where the camera looks, however far that is', () => {
    const view = { x: -7000, y: 3000, ...SCREEN }
    const [box] = placed(1, { view, bars: [], notes: [] }, seeded(1))
    expect(box && touches(box, view)).toBe(true)
  })

  it('of a note in a crowded view is still 50 px from the edges', () => {
    fc.assert(
      fc.property(seeds, (random) => {
        for (const box of placed(8, ground(), random, { ...NOTE, own: false })) {
          if (!touches(box, { x: 0, y: 0, ...SCREEN })) continue
          expect(box.x).toBeGreaterThanOrEqual(50)
          expect(box.y).toBeGreaterThanOrEqual(50)
        }
      }),
    )
  })

  it('in a full view is in view for what is shared from here, and outside for what others share', () => {
    const full: Box[] = [{ x: -100, y: -100, width: 2000, height: 2000 }]
    const view = { x: 0, y: 0, ...SCREEN }
    const [own] = placed(1, ground(SCREEN, full), seeded(3))
    const [other] = placed(1, ground(SCREEN, full), seeded(3), { ...NOTE, own: false })
    expect(own && touches(own, view)).toBe(true)
    expect(other && touches(other, view)).toBe(false)
  })

  it('of two thousand at once overlaps none, and is found fast', () => {
    const start = performance.now()
    const boxes = placed(2000, ground(), seeded(5), { ...NOTE, own: false })
    expect(performance.now() - start).toBeLessThan(1000)
    const sorted = boxes.toSorted((a, b) => a.y - b.y)
    expect(overlapping(sorted)).toBe(0)
  })

  it('exists on a window that has no room at all', () => {
    const [box] = placed(1, ground({ width: 200, height: 120 }), seeded(9))
    expect(box && Number.isFinite(box.x + box.y)).toBe(true)
  })
})
