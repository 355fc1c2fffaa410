// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Actions, AppContext } from '../../features/actions'
import { createStores } from '../../stores/stores'
import { ProfileRoute } from './profile'

const ada = {
  username: 'ada',
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.org',
  profile_picture: null,
}

let isWide: boolean
const resizes = (wide: boolean) => {
  isWide = wide
  act(() => void window.dispatchEvent(new Event('resize')))
}

beforeEach(() => {
  isWide = true
  vi.stubGlobal('matchMedia', () => ({
    get matches() {
      return isWide
    },
    addEventListener() {},
    removeEventListener() {},
  }))
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('e17 the words of a vault stay where they are when the window becomes narrow and wide', async () => {
  const stores = createStores()
  stores.account.setState({ status: 'authenticated', user: ada }, true)
  stores.vault.setState({ own: { is: 'none' } })
  const begin = vi.fn(async () => ['abandon', 'ability'])
  render(
    <AppContext value={{ stores, actions: { vault: { begin } } as unknown as Actions }}>
      <MemoryRouter>
        <ProfileRoute />
      </MemoryRouter>
    </AppContext>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Set up a vault' }))
  const word = await screen.findByText('ability')
  resizes(false)
  expect(screen.getByText('ability')).toBe(word)
  resizes(true)
  expect(screen.getByText('ability')).toBe(word)
})
