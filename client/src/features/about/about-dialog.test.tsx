// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const PROMISE = /^End-to-end secure/

function about(encryption: Encryption, isSecure = true) {
  vi.stubGlobal('isSecureContext', isSecure)
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

it('e1_the_promise_that_a_beam_is_sealed_is_made_before_there_is_one_and_in_one_that_is', () => {
  about({ kind: 'off' })
  expect(screen.getByText(PROMISE)).toBeDefined()
  cleanup()
  about({ kind: 'sealed', isDeposited: false })
  expect(screen.getByText(PROMISE)).toBeDefined()
})

it('e1_the_promise_that_a_beam_is_sealed_is_made_neither_in_one_that_is_clear_nor_by_a_page_without_https', () => {
  about({ kind: 'clear' })
  expect(screen.queryByText(PROMISE)).toBeNull()
  expect(screen.getByText(/^Nobody tracks you/)).toBeDefined()
  cleanup()
  about({ kind: 'insecure', isShutOut: false }, false)
  expect(screen.queryByText(PROMISE)).toBeNull()
})
