import { describe, expect, it } from 'vitest'
import { resized, withNaturalSize } from './image-size'

describe('the size of a picture', () => {
  it('follows the corner and keeps the shape', () => {
    expect(resized({ width: 400, height: 200 }, 100, 720)).toEqual({ width: 500, height: 250 })
    expect(resized({ width: 400, height: 200 }, 1000, 720)).toEqual({ width: 720, height: 360 })
  })

  it('is at least 50 px on both sides', () => {
    expect(resized({ width: 400, height: 200 }, -1000, 720)).toEqual({ width: 100, height: 50 })
    expect(resized({ width: 200, height: 400 }, -1000, 720)).toEqual({ width: 50, height: 100 })
  })

  it('is its natural one when unknown, but never zero', () => {
    const natural = { naturalWidth: 640, naturalHeight: 480 }
    expect(withNaturalSize({ width: 0, height: 0 }, natural)).toEqual({ width: 640, height: 480 })
    expect(withNaturalSize({ width: 320, height: 0 }, natural)).toEqual({ width: 320, height: 240 })
    expect(withNaturalSize({ width: 0, height: 240 }, natural)).toEqual({ width: 320, height: 240 })
    expect(withNaturalSize({ width: 1, height: 1 }, natural)).toBeNull()
    expect(withNaturalSize({ width: 0, height: 0 }, { naturalWidth: 0, naturalHeight: 0 })).toBeNull()
  })
})
