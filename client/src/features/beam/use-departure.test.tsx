// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { pendingItem } from '../../protocol/item'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { useDepartures } from './use-departure'

const logOut = vi.fn(async () => true)

function Logout() {
  const { wish } = useDepartures()
  return (
    <button type="button" onClick={() => wish({ do: 'log-out' })}>
      Logout
    </button>
  )
}

/** Presses Logout in a saved beam with something that has not been sent yet. */
function logsOut(by_link: boolean): Stores {
  const stores = createStores()
  const saved = { beam_name: 'Cabin', role: 'owner', link_access: 'write', by_link } as const
  stores.access.setState({ kind: 'saved', saved }, true)
  stores.items.setState({ items: [pendingItem('a' as ItemId, 'hello', 'text', 0)] })
  render(
    <AppContext value={{ stores, actions: { account: { logOut } } as unknown as Actions }}>
      <MemoryRouter>
        <Logout />
      </MemoryRouter>
    </AppContext>,
  )
  fireEvent.click(screen.getByRole('button'))
  return stores
}

afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

it('a logout that leaves a beam asks first where something would be lost', () => {
  const stores = logsOut(false)
  expect(stores.beamDialog.getState()).toMatchObject({ kind: 'leaving', losses: ['unsent'] })
  expect(logOut).not.toHaveBeenCalled()
})

it('a logout that stays in the beam asks nothing', () => {
  const stores = logsOut(true)
  expect(stores.beamDialog.getState()).toEqual({ kind: 'none' })
  expect(logOut).toHaveBeenCalledOnce()
})
