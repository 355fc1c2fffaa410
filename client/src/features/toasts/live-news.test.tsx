// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { LiveNews } from './live-news'

afterEach(cleanup)

it('reads the same news out again when it happens again', () => {
  const stores = createStores()
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <LiveNews />
    </AppContext>,
  )
  const arrives = (id: string) => {
    const { items } = stores.items.getState()
    const content = { kind: 'text', text: id }
    const item = { id: id as ItemId, seq: items.length, from: 'bob' as DeviceId, content }
    act(() => stores.items.setState({ items: [...items, item as unknown as Item] }))
  }
  stores.items.setState({ epoch: 'e' })
  arrives('a')
  const first = screen.getByText(/^Text from /)
  arrives('b')
  // Screen readers announce only changes, so the same text needs a new element.
  expect(first.isConnected).toBe(false)
  expect(screen.getByText(/^Text from /)).toBeDefined()
})
