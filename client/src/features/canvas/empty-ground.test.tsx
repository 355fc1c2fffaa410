// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { EmptyGround } from './empty-ground'

afterEach(cleanup)

it('shows the list of keys already while the canvas loads, except where a question mark is typed', () => {
  const stores = createStores()
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <EmptyGround />
      <input />
    </AppContext>,
  )
  fireEvent.keyDown(screen.getByRole('textbox'), { key: '?' })
  fireEvent.keyDown(document.body, { key: 'a' })
  expect(stores.beamDialog.getState().kind).toBe('none')
  fireEvent.keyDown(document.body, { key: '?', shiftKey: true })
  expect(stores.beamDialog.getState().kind).toBe('keys')
})
