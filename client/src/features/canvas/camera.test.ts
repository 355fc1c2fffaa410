import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOME_CAMERA } from '../../stores/canvas'
import {
  centredOn,
  fitted,
  gridOf,
  LEAST_ZOOM,
  MOST_ZOOM,
  panned,
  showing,
  toCanvas,
  toScreen,
  visibleBox,
  zoomed,
} from './camera'
import { middle } from './geometry'

const SCREEN = { width: 1440, height: 900 }
const INSETS = { top: 100, right: 50, bottom: 150, left: 50 }

const length = fc.integer({ min: -20_000, max: 20_000 })
const point = fc.record({ x: length, y: length })
const camera = fc.record({
  x: length,
  y: length,
  zoom: fc.double({ min: LEAST_ZOOM, max: MOST_ZOOM, noNaN: true }),
})

const near = (a: { x: number; y: number }, b: { x: number; y: number }) => {
  expect(a.x).toBeCloseTo(b.x, 4)
  expect(a.y).toBeCloseTo(b.y, 4)
}

describe('the camera', () => {
  it('puts a note at its place on the canvas, offset by its own', () => {
    expect(toScreen({ x: 100, y: 50, zoom: 1 }, { x: 130, y: 90 })).toEqual({ x: 30, y: 40 })
  })

  it('converts from the screen to the canvas', () => {
    fc.assert(fc.property(camera, point, (view, at) => near(toCanvas(view, toScreen(view, at)), at)))
  })

  it('moves the point under the pointer with it when it pans', () => {
    fc.assert(
      fc.property(camera, point, point, (view, at, by) => {
        const before = toScreen(view, at)
        near(toScreen(panned(view, by), at), { x: before.x + by.x, y: before.y + by.y })
      }),
    )
  })

  it('keeps the point under the pointer in place when it zooms, and stays within bounds', () => {
    const factor = fc.double({ min: 0.01, max: 100, noNaN: true })
    fc.assert(
      fc.property(camera, factor, point, (view, by, at) => {
        const after = zoomed(view, by, at)
        near(toCanvas(after, at), toCanvas(view, at))
        expect(after.zoom).toBeGreaterThanOrEqual(LEAST_ZOOM)
        expect(after.zoom).toBeLessThanOrEqual(MOST_ZOOM)
      }),
    )
  })

  it('centres on a point at the zoom that it has', () => {
    fc.assert(
      fc.property(camera, point, (view, at) =>
        near(middle(visibleBox(centredOn(view, at, SCREEN), SCREEN)), at),
      ),
    )
  })

  it('fits a box between the bars and never enlarges it', () => {
    const few = fitted({ x: 10, y: 20, width: 256, height: 200 }, SCREEN, INSETS)
    expect(few.zoom).toBe(1)
    const many = { x: -3000, y: 500, width: 6000, height: 4000 }
    const view = fitted(many, SCREEN, INSETS)
    const corner = toScreen(view, many)
    expect(corner.x).toBeGreaterThanOrEqual(INSETS.left - 0.01)
    expect(corner.y).toBeGreaterThanOrEqual(INSETS.top - 0.01)
    expect(corner.x + many.width * view.zoom).toBeLessThanOrEqual(SCREEN.width - INSETS.right + 0.01)
    expect(corner.y + many.height * view.zoom).toBeLessThanOrEqual(SCREEN.height - INSETS.bottom + 0.01)
  })

  it('fits five thousand notes into a small window', () => {
    // Side by side with their gaps, as they are placed around a full view.
    const notes = { x: -11_000, y: -11_000, width: 71 * 312, height: 71 * 320 }
    const small = { width: 1025, height: 520 }
    const view = fitted(notes, small, INSETS)
    const corner = toScreen(view, notes)
    expect(corner.y).toBeGreaterThanOrEqual(INSETS.top - 0.01)
    expect(corner.y + notes.height * view.zoom).toBeLessThanOrEqual(small.height - INSETS.bottom + 0.01)
  })

  it('moves as little as needed to show a note', () => {
    const seen = { x: 300, y: 300, width: 256, height: 200 }
    expect(showing(HOME_CAMERA, seen, SCREEN, INSETS)).toEqual(HOME_CAMERA)
    const right = { ...seen, x: 2000 }
    expect(showing(HOME_CAMERA, right, SCREEN, INSETS)).toEqual({ x: 2256 - 1390, y: 0, zoom: 1 })
    const above = { ...seen, y: -500 }
    expect(showing(HOME_CAMERA, above, SCREEN, INSETS)).toEqual({ x: 0, y: -600, zoom: 1 })
  })
})

describe('the grid', () => {
  it('has a dot every 50 px of the canvas, at any place of it', () => {
    expect(gridOf(HOME_CAMERA).cell).toBe(50)
    expect(gridOf({ x: 20, y: -20, zoom: 1 })).toEqual({ cell: 50, left: -20, top: -30 })
  })

  it('is never shifted by more than one square, and stays sparse when zoomed out', () => {
    fc.assert(
      fc.property(camera, (view) => {
        const { cell, left, top } = gridOf(view)
        expect(cell).toBeGreaterThanOrEqual(25)
        expect(cell).toBeLessThanOrEqual(100)
        for (const at of [left, top]) {
          expect(at).toBeLessThanOrEqual(0)
          expect(at).toBeGreaterThan(-cell - 0.001)
        }
      }),
    )
  })
})
