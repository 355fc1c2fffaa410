import { describe, expect, it } from 'vitest'
import { fitted, isFitted, panned, scaled, toggled } from './zoom'

const large = { picture: { width: 2000, height: 1000 }, stage: { width: 500, height: 500 } }
const small = { picture: { width: 100, height: 50 }, stage: { width: 500, height: 500 } }
const middle = { x: 0, y: 0 }

describe('the zoom of a picture', () => {
  it('begins with the whole picture, and never enlarges a small one', () => {
    expect(fitted(large).scale).toBe(0.25)
    expect(fitted(small).scale).toBe(1)
  })

  it('keeps the point under the pointer', () => {
    const zoom = scaled(fitted(large), 0.5, { x: 100, y: 0 }, large)
    expect(zoom).toEqual({ scale: 0.5, x: -100, y: 0 })
  })

  it('is never smaller than the whole picture, and at most eightfold', () => {
    expect(scaled(fitted(large), 0.01, middle, large).scale).toBe(0.25)
    expect(scaled(fitted(large), 100, middle, large).scale).toBe(8)
  })

  it('leaves no gap at the edges', () => {
    const zoom = scaled(fitted(large), 1, middle, large)
    expect(panned(zoom, { x: 5000, y: -5000 }, large)).toEqual({ scale: 1, x: 750, y: -250 })
    expect(panned(fitted(large), { x: 40, y: 40 }, large)).toEqual(fitted(large))
  })

  it('goes to its own size by a double tap, or larger, and back', () => {
    expect(toggled(fitted(large), middle, large).scale).toBe(1)
    const near = toggled(fitted(small), middle, small)
    expect(near.scale).toBe(2.5)
    expect(isFitted(toggled(near, middle, small), small)).toBe(true)
  })
})
