import { beforeEach, describe, expect, it } from 'vitest'
import { PictureGestures } from './picture-gestures'

let gestures: PictureGestures
beforeEach(() => {
  gestures = new PictureGestures()
})
const tap = (x: number, time: number) => {
  gestures.down(1, { x, y: 0 })
  return gestures.up(1, { x, y: 0 }, time, true)
}
const drag = (x: number, y: number, swipes = true) => {
  gestures.down(1, { x: 0, y: 0 })
  gestures.move(1, { x, y })
  return gestures.up(1, { x, y }, 0, swipes)
}

describe('on a picture', () => {
  it('a drag pans by what the pointer moved', () => {
    gestures.down(1, { x: 0, y: 0 })
    expect(gestures.move(1, { x: 4, y: -3 })).toEqual({ do: 'pan', by: { x: 4, y: -3 } })
  })

  it('two taps at one place toggle the zoom; slow or distant ones do not', () => {
    expect(tap(5, 0)).toEqual({ do: 'nothing' })
    expect(tap(8, 200)).toEqual({ do: 'toggle', at: { x: 8, y: 0 } })
    expect(tap(8, 300)).toEqual({ do: 'nothing' })
    expect(tap(8, 900)).toEqual({ do: 'nothing' })
    expect(tap(80, 1000)).toEqual({ do: 'nothing' })
  })

  it('a swipe to the left goes to the next picture, one to the right back', () => {
    expect(drag(-80, 5)).toEqual({ do: 'step', by: 1 })
    expect(drag(80, 5)).toEqual({ do: 'step', by: -1 })
  })

  it('a swipe downwards, a short one, or one on a zoomed picture does not step', () => {
    expect(drag(-60, 60)).toEqual({ do: 'nothing' })
    expect(drag(-30, 0)).toEqual({ do: 'nothing' })
    expect(drag(-80, 0, false)).toEqual({ do: 'nothing' })
  })

  it('two fingers pinch around the point between them, and lifting them is no swipe', () => {
    gestures.down(1, { x: -50, y: 0 })
    gestures.down(2, { x: 50, y: 0 })
    expect(gestures.move(2, { x: 150, y: 0 })).toEqual({
      do: 'pinch',
      factor: 2,
      at: { x: 50, y: 0 },
      by: { x: 50, y: 0 },
    })
    expect(gestures.up(2, { x: 150, y: 0 }, 0, true)).toEqual({ do: 'nothing' })
    expect(gestures.up(1, { x: -150, y: 0 }, 0, true)).toEqual({ do: 'nothing' })
  })
})
