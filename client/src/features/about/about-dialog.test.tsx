// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Encryption } from '../../stores/encryption'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { AboutDialog } from './about-dialog'

beforeEach(() => {
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = () => {}
})
afterEach(cleanup)

const PROMISE = /^End-to-end secure/

function about(encryption: Encryption) {
  const stores = createStores()
  stores.encryption.setState(encryption, true)
  render(
    <MemoryRouter>
      <AppContext value={{ stores, actions: {} as Actions }}>
        <AboutDialog onClose={() => {}} />
      </AppContext>
    </MemoryRouter>,
  )
}

it('e1_the_promise_that_a_beam_is_sealed_is_made_in_one_that_is', () => {
  about({ kind: 'sealed', isDeposited: false })
  expect(screen.getByText(PROMISE)).toBeDefined()
})

it.each<Encryption>([{ kind: 'off' }, { kind: 'clear' }, { kind: 'insecure', isShutOut: false }])(
  'e1_the_promise_that_a_beam_is_sealed_is_not_made_where_it_is_$kind',
  (encryption) => {
    about(encryption)
    expect(screen.queryByText(PROMISE)).toBeNull()
    expect(screen.getByText(/^Nobody tracks you/)).toBeDefined()
  },
)
