// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { MissingNotice } from './missing-notice'
import { StatusPill } from './status-pill'

afterEach(cleanup)

it('e14_what_is_missing_is_counted in the pill, and in the list, where a person can try again', () => {
  const stores = createStores()
  stores.connection.setState({ status: 'live' }, true)
  stores.encryption.setState({ kind: 'sealed', isDeposited: false }, true)
  stores.missing.setState({ count: 2 }, true)
  const actions = { lookForMissing: vi.fn() } as unknown as Actions
  render(
    <AppContext value={{ stores, actions }}>
      <StatusPill />
      <MissingNotice />
    </AppContext>,
  )
  expect(screen.getByRole('button', { name: '2 items missing' })).toBeDefined()
  expect(screen.getByRole('heading', { name: '2 items missing' })).toBeDefined()
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(actions.lookForMissing).toHaveBeenCalledOnce()
})

it('e14_what_is_missing_hides_no_worse_news_of_who_can_read_the_beam', () => {
  const stores = createStores()
  stores.connection.setState({ status: 'live' }, true)
  stores.encryption.setState({ kind: 'clear' }, true)
  stores.missing.setState({ count: 2 }, true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <StatusPill />
    </AppContext>,
  )
  expect(screen.getByRole('button', { name: 'Not encrypted · 1 device' })).toBeDefined()
})

it('nothing is said where nothing is missing', () => {
  const stores = createStores()
  const { container } = render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <MissingNotice />
    </AppContext>,
  )
  expect(container.textContent).toBe('')
})
