import { describe, expect, it } from 'vitest'
import { barsOf, besideCode } from './bars'
import { toCanvas } from './camera'
import { touches } from './geometry'

const SCREEN = { width: 1440, height: 900 }
const [CODE] = barsOf(SCREEN, 'large').filter(({ height }) => height > 400)

describe('the view beside the large code', () => {
  it('stays where the code lies over no note', () => {
    expect(
      besideCode({ x: 0, y: 0, zoom: 1 }, SCREEN, [{ x: 900, y: 300, width: 256, height: 120 }]),
    ).toBeNull()
  })

  it.each([1, 0.5, 2])('shows the notes at its right at a zoom of %s', (zoom) => {
    const notes = [
      { x: 60, y: 200, width: 256, height: 120 },
      { x: 420, y: 260, width: 256, height: 240 },
    ]
    const camera = besideCode({ x: 0, y: 0, zoom }, SCREEN, notes)
    if (!camera || !CODE) throw new Error('the view has not moved')
    const code = { ...toCanvas(camera, CODE), width: CODE.width / zoom, height: CODE.height / zoom }
    expect(notes.filter((note) => touches(note, code))).toEqual([])
    expect(camera).toMatchObject({ y: 0, zoom })
  })
})
