// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { CanvasSearch } from './canvas-search'

afterEach(cleanup)

function opens(stores: ReturnType<typeof createStores>) {
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <CanvasSearch />
    </AppContext>,
  )
}

it('is a button at first', () => {
  opens(createStores())
  expect(screen.getByRole('button', { name: 'Search items' })).toBeTruthy()
})

it('is open when a search is on already', async () => {
  const stores = createStores()
  stores.search.setState({ text: 'milk', found: new Set() })
  opens(stores)
  expect(await screen.findByDisplayValue('milk')).toBeTruthy()
})
