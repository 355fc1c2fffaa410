// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { reduceTransfers } from '../../stores/transfers'
import { type Actions, AppContext } from '../actions'
import { ReceiveAll } from './receive-all'

afterEach(cleanup)

it('files that wait together are received with one press, and a single one is not', () => {
  const stores = createStores()
  const receiveAll = vi.fn()
  render(
    <AppContext value={{ stores, actions: { receiveAll } as unknown as Actions }}>
      <ReceiveAll on="list" />
    </AppContext>,
  )
  const isOffered = (id: string) => {
    const event = { type: 'receiving', id: id as ItemId, state: { status: 'offered' } } as const
    act(() => stores.transfers.setState((state) => reduceTransfers(state, event), true))
  }
  isOffered('a')
  expect(screen.queryByRole('button')).toBeNull()
  isOffered('b')
  screen.getByRole('button', { name: 'Receive all 2 files' }).click()
  expect(receiveAll).toHaveBeenCalledOnce()
  // Of a beam that is closed for good, nothing comes any more.
  act(() => stores.connection.setState({ status: 'stopped', why: 'ended' }, true))
  expect(screen.queryByRole('button')).toBeNull()
})
