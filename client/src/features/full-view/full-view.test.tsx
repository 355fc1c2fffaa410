// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { liveItem, storedItemMessage } from '../../protocol/item'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { FullView } from './full-view'

const ID = 'picture' as ItemId

beforeAll(() => {
  // Dialogs are not part of jsdom.
  HTMLDialogElement.prototype.showModal = vi.fn()
  HTMLDialogElement.prototype.close = vi.fn()
})
afterEach(cleanup)

function isMarked(isClear: boolean): boolean {
  const stores = createStores()
  const file = { name: 'beach.mp3', size: 3, type: 'audio/mpeg', url: '/api/uploads/0123456789abcdef' }
  const shared = { id: ID, seq: 1, from: 'ada' as DeviceId, at: 1, ...storedItemMessage(file) }
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  stores.items.setState({ items: [{ ...liveItem(shared, null), ...(isClear && { isClear }) }] })
  stores.media.setState({ kinds: { [ID]: { media: 'audio', type: 'audio/mpeg' } } })
  const actions = { closeFull: vi.fn() } as Partial<Actions> as Actions
  render(
    <AppContext value={{ stores, actions }}>
      <FullView id={ID} order="oldest-first" />
    </AppContext>,
  )
  return screen.queryByText('Not encrypted') !== null
}

it('e12 a file that came in clear text is marked in the full view too', () => {
  expect(isMarked(true)).toBe(true)
  cleanup()
  expect(isMarked(false)).toBe(false)
})
