import { describe, expect, it } from 'vitest'
import { barsOf, besideCode } from './bars'
import { toCanvas, toScreen } from './camera'
import { touches } from './geometry'

const SCREEN = { width: 1440, height: 900 }

describe('the view beside the large code', () => {
  it('stays where the code lies over no note', () => {
    expect(
      besideCode({ x: 0, y: 0, zoom: 1 }, SCREEN, [{ x: 900, y: 300, width: 256, height: 120 }], 1),
    ).toBeNull()
  })

  it.each([
    [1, 1],
    [0.5, 1],
    [1.1, 1],
    [1, -1],
    [0.5, -1],
    [1.1, -1],
  ] as const)('shows the notes beside it at a zoom of %s, with texts that run by %s', (zoom, forward) => {
    const [code] = barsOf(SCREEN, 'large', forward).filter(({ height }) => height > 400)
    const fromStart = [
      { x: 60, y: 200, width: 256, height: 120 },
      { x: 420, y: 260, width: 256, height: 240 },
    ]
    const notes = fromStart.map((note) =>
      forward === 1 ? note : { ...note, x: SCREEN.width / zoom - note.x - note.width },
    )
    const camera = besideCode({ x: 0, y: 0, zoom }, SCREEN, notes, forward)
    if (!camera || !code) throw new Error('the view has not moved')
    const box = { ...toCanvas(camera, code), width: code.width / zoom, height: code.height / zoom }
    expect(notes.filter((note) => touches(note, box))).toEqual([])
    expect(camera.y).toBeCloseTo(0)
    expect(camera.zoom).toBe(zoom)
  })

  it.each([1, -1] as const)(
    'shows all of a row that is too wide for its size, with texts that run by %s',
    (forward) => {
      const row = [300, 584, 868].map((x) => ({ x, y: 380, width: 256, height: 120 }))
      const camera = besideCode({ x: 0, y: 0, zoom: 1 }, SCREEN, row, forward)
      if (!camera) throw new Error('the view has not moved')
      const onScreen = row.map((note) => ({
        ...toScreen(camera, note),
        width: note.width * camera.zoom,
        height: note.height * camera.zoom,
      }))
      const [code] = barsOf(SCREEN, 'large', forward).filter(({ height }) => height > 400)
      for (const note of onScreen) {
        expect(code && touches(note, code)).toBe(false)
        expect(note.x).toBeGreaterThan(0)
        expect(note.x + note.width).toBeLessThan(SCREEN.width)
        expect(note.y).toBeGreaterThan(300)
        expect(note.y + note.height).toBeLessThan(560)
      }
    },
  )

  it('shows notes in their size when they would not all fit beside it', () => {
    const row = Array.from({ length: 9 }, (_, index) => ({ x: index * 284, y: 300, width: 256, height: 120 }))
    expect(besideCode({ x: 0, y: 0, zoom: 1 }, SCREEN, row, 1)?.zoom).toBe(1)
  })
})

describe('the bars of a page whose texts run to the left', () => {
  it('are mirrored', () => {
    const bars = barsOf(SCREEN, 'corner', 1)
    const mirrored = bars.map((bar) => ({ ...bar, x: SCREEN.width - bar.x - bar.width }))
    expect(barsOf(SCREEN, 'corner', -1)).toEqual(mirrored)
  })
})
