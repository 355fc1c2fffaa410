// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { fileItemMessage, liveItem, storedItemMessage } from '../../protocol/item'
import { reduceItems } from '../../stores/items'
import { createStores } from '../../stores/stores'
import { reduceTransfers } from '../../stores/transfers'
import { type Actions, AppContext } from '../actions'
import { ReceiveAll } from './receive-all'

afterEach(cleanup)

it('files of more than one card are received with one press', () => {
  const stores = createStores()
  const receiveAll = vi.fn()
  render(
    <AppContext value={{ stores, actions: { receiveAll } as unknown as Actions }}>
      <ReceiveAll on="list" />
    </AppContext>,
  )
  const batch = { id: '5b1f4a52-7d0e-4c3b-9a41-2f6d8e0c7b13' as ItemId, count: 2 }
  const isOffered = (id: string, index: number | null = null, url?: string) => {
    const file = { name: id, size: 1, type: '', ...(index !== null && { batch: { ...batch, index } }) }
    const { message, extra } = url === undefined ? fileItemMessage(file) : storedItemMessage({ ...file, url })
    const item = liveItem({ id: id as ItemId, message, extra, seq: 1, from: 'ada' as DeviceId, at: 0 }, null)
    act(() => stores.items.setState((state) => reduceItems(state, { type: 'received', item }), true))

    const event = { type: 'receiving', id: id as ItemId, state: { status: 'offered' } } as const
    act(() => stores.transfers.setState((state) => reduceTransfers(state, event), true))
  }
  isOffered('a', 0)
  isOffered('b', 1)
  // The batch has a button of its own.
  expect(screen.queryByRole('button')).toBeNull()
  // What the server has a copy of is saved in one step.
  isOffered('stored', null, `/api/uploads/${'0123456789abcdef'.repeat(2)}`)
  expect(screen.queryByRole('button')).toBeNull()
  isOffered('c')
  screen.getByRole('button', { name: 'Receive all 3 files' }).click()
  expect(receiveAll).toHaveBeenCalledOnce()
  // Of a beam that is closed for good, nothing comes any more.
  act(() => stores.connection.setState({ status: 'stopped', why: 'ended' }, true))
  expect(screen.queryByRole('button')).toBeNull()
})
