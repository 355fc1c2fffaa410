// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Site } from '../../protocol/bindings'
import type { Encryption } from '../../stores/encryption'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { ClearReason } from './clear-reason'

afterEach(cleanup)

const REASON = /link leads to a page without https/

/** @param public_url where the link of the beam leads */
function show(public_url: string, encryption: Encryption) {
  const stores = createStores()
  const empty = { name: '', version: '', network_url: null, self_signed: null, repository: '' }
  const site: Site = { ...empty, public_url }
  stores.site.setState({ site }, true)
  stores.encryption.setState(encryption, true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <ClearReason />
    </AppContext>,
  )
}

it('e1_a_beam_that_is_clear_because_its_link_is_without_https_says_so', () => {
  show('http://192.0.2.7:8080', { kind: 'clear' })
  expect(screen.getByText(REASON).textContent).toContain('Ask whoever runs this server')
})

it('e11_a_beam_that_is_clear_because_nobody_here_has_keys_of_it_says_so', () => {
  show('https://192.0.2.7', { kind: 'clear' })
  expect(screen.getByText(/no device that answers has a key of this beam/)).toBeTruthy()
})

it.each<[string, string, Encryption]>([
  ['whose link is by https', 'https://192.0.2.7', { kind: 'clear' }],
  ['that is sealed', 'http://192.0.2.7:8080', { kind: 'sealed', isDeposited: false }],
])('e1_a_beam_%s_says_nothing_of_that', (_, url, encryption) => {
  show(url, encryption)
  expect(screen.queryByText(REASON)).toBeNull()
})
