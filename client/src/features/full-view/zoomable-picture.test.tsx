// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ZoomablePicture } from './zoomable-picture'

beforeEach(() => {
  // jsdom has neither.
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
  Element.prototype.setPointerCapture = () => {}
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('a swipe goes on from a picture that is still being loaded', () => {
  const onStep = vi.fn()
  render(<ZoomablePicture url="blob:one" name="one.png" onStep={onStep} onBroken={() => {}} />)
  const picture = screen.getByRole('img')
  const finger = { pointerId: 5, pointerType: 'touch', button: 0, clientY: 100 }
  fireEvent.pointerDown(picture, { ...finger, clientX: 300 })
  fireEvent.pointerMove(picture, { ...finger, clientX: 200 })
  fireEvent.pointerUp(picture, { ...finger, clientX: 100 })
  expect(onStep).toHaveBeenCalledExactlyOnceWith(1)
})
