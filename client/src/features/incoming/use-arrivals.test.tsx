// @vitest-environment jsdom
import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { fileItemMessage, type Item, liveItem } from '../../protocol/item'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { useArrivals } from './use-arrivals'

const BATCH = '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId

const file = (index: number): Item => {
  const message = fileItemMessage({ name: 'a', size: 1, type: '', batch: { id: BATCH, count: 2, index } })
  return liveItem({ id: `${index}` as ItemId, ...message, seq: 1, from: 'ada' as never, at: 0 }, null)
}

it('the sheet of a batch that was deleted is put away, so that another one can be shown', () => {
  const stores = createStores()
  stores.items.setState({ items: [file(0), file(1)], epoch: 'e' as never })
  stores.incoming.setState({ shown: BATCH })
  renderHook(() => useArrivals(), {
    wrapper: ({ children }) => <AppContext value={{ stores, actions: {} as Actions }}>{children}</AppContext>,
  })
  stores.items.setState({ items: [file(1)] })
  expect(stores.incoming.getState().shown).toBe(BATCH)
  stores.items.setState({ items: [] })
  expect(stores.incoming.getState().shown).toBeNull()
})
