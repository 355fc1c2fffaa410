import { describe, expect, it } from 'vitest'
import { barsOf, besideCode } from './bars'
import { toCanvas } from './camera'
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
    [2, 1],
    [1, -1],
    [0.5, -1],
    [2, -1],
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
    expect(camera).toMatchObject({ y: 0, zoom })
  })
})

describe('the bars of a page whose texts run to the left', () => {
  it('are mirrored', () => {
    const bars = barsOf(SCREEN, 'corner', 1)
    const mirrored = bars.map((bar) => ({ ...bar, x: SCREEN.width - bar.x - bar.width }))
    expect(barsOf(SCREEN, 'corner', -1)).toEqual(mirrored)
  })
})
