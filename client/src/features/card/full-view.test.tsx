// @vitest-environment jsdom
import { cleanup, createEvent, fireEvent, render, screen } from '@testing-library/react'
import type { SyntheticEvent } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { FullView } from './full-view'

const id = 'a' as ItemId
const content = { kind: 'file', category: 'image', name: 'sea.png', size: 3, type: 'image/png', url: null }
const item = { id, at: 0, content } as unknown as Item
const heard = vi.fn((_event: SyntheticEvent) => {})
const onClose = vi.fn()

beforeEach(() => {
  vi.clearAllMocks()
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  const stores = createStores()
  stores.media.setState({ kinds: { [id]: { media: 'image', type: 'image/png' } } })
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: stands for the canvas */}
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
        <FullView item={item} url="blob:a" onClose={onClose} />
      </div>
    </AppContext>,
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
] as const)('keeps %s from the note and the canvas under it', (type) => {
  const picture = screen.getByRole('img', { name: 'sea.png' })
  fireEvent(picture, createEvent[type](picture))
  expect(heard).not.toHaveBeenCalled()
})

it('still closes by its own button', () => {
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(onClose).toHaveBeenCalledOnce()
})
