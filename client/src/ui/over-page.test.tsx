// @vitest-environment jsdom
import { cleanup, createEvent, fireEvent, render, screen } from '@testing-library/react'
import type { SyntheticEvent } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OverPage } from './over-page'

const heard = vi.fn((_event: SyntheticEvent) => {})

beforeEach(() => {
  vi.clearAllMocks()
  render(
    // biome-ignore lint/a11y/noStaticElementInteractions: stands for the canvas
    <div
      onPointerDown={heard}
      onPointerMove={heard}
      onPointerUp={heard}
      onPointerCancel={heard}
      onLostPointerCapture={heard}
      onMouseDown={heard}
      onDragStart={heard}
      onClick={heard}
      onDoubleClick={heard}
      onKeyDown={heard}
      onKeyUp={heard}
      onFocus={heard}
    >
      <OverPage>
        <button type="button">Above</button>
      </OverPage>
    </div>,
  )
})
afterEach(cleanup)

it.each([
  'pointerDown',
  'pointerMove',
  'pointerUp',
  'pointerCancel',
  'lostPointerCapture',
  'mouseDown',
  'dragStart',
  'click',
  'dblClick',
  'keyDown',
  'keyUp',
  'focusIn',
] as const)('keeps %s above the page from what lies under it', (type) => {
  const button = screen.getByRole('button', { name: 'Above' })
  fireEvent(button, createEvent[type](button))
  expect(heard).not.toHaveBeenCalled()
})
