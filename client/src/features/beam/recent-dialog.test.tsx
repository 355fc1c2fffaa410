// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { BeamId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { RecentDialog } from './recent-dialog'

const SEALED = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const CLEAR = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const forgetRecent = vi.fn(async () => {})

beforeEach(() => {
  forgetRecent.mockClear()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
})
afterEach(cleanup)

/** Shows the list with these beams. */
function shows(...beams: readonly BeamId[]): void {
  const stores = createStores()
  const recent = (beamId: BeamId) => ({
    beamId,
    beamKey: null,
    beamName: '',
    expiresAt: null,
    isSealed: beamId === SEALED,
    at: 0,
  })
  stores.recentBeams.setState({ beams: beams.map(recent) }, true)
  render(
    <AppContext value={{ stores, actions: { forgetRecent } as Partial<Actions> as Actions }}>
      <MemoryRouter>
        <RecentDialog onClose={() => {}} />
      </MemoryRouter>
    </AppContext>,
  )
}

const presses = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))

it.each([
  [/^Remove 0b5a1c2e/, SEALED],
  ['Clear the list', 'all'],
])('e1_who_presses_%s_is_told_that_the_keys_go_too_before_they_do', (button, which) => {
  shows(SEALED, CLEAR)
  presses(button)
  expect(forgetRecent).not.toHaveBeenCalled()
  const question = screen.getByRole('alertdialog')
  expect(question.textContent).toContain('If only this browser has its keys, nobody can read it any more.')
  fireEvent.click(within(question).getByRole('button', { name: 'Remove' }))
  expect(forgetRecent).toHaveBeenCalledExactlyOnceWith(which)
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

it('e1_nothing_goes_where_the_person_thinks_better_of_it', () => {
  shows(SEALED)
  presses('Clear the list')
  fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Cancel' }))
  expect(forgetRecent).not.toHaveBeenCalled()
})

it('a beam without keys is removed at once', () => {
  shows(CLEAR)
  presses(/^Remove 1b5a1c2e/)
  presses('Clear the list')
  expect(forgetRecent.mock.calls).toEqual([[CLEAR], ['all']])
})
