// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { BeamId, Site } from '../../protocol/bindings'
import type { Encryption } from '../../stores/encryption'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { ClosedLink } from './closed-link'

afterEach(cleanup)

const SEALED: Encryption = { kind: 'sealed', isDeposited: false }

/** @param network_url where the link leads from a page on the machine of the server */
function show(network_url: string, encryption: Encryption) {
  const stores = createStores()
  const site: Site = {
    name: '',
    version: '',
    public_url: null,
    network_url,
    self_signed: null,
    repository: '',
  }
  stores.site.setState({ site }, true)
  const beamId = '7c9e6679-4b1d-4f0a-9d3c-5a1e2b3c4d5e' as BeamId
  const session = { beamId, beamKey: null, beamName: '', expiresAt: null, invite: 'A'.repeat(43) }
  stores.session.setState({ status: 'set', session }, true)
  stores.encryption.setState(encryption, true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <ClosedLink />
    </AppContext>,
  )
  return screen.queryByText(/where devices cannot open this beam/)
}

it('e1_a_sealed_beam_whose_link_has_become_one_without_https_says_that_nothing_opens_there', () => {
  expect(show('http://192.0.2.7:8080', SEALED)?.textContent).toContain('Ask whoever runs this server')
})

it.each<[string, string, Encryption]>([
  ['whose link is by https', 'https://192.0.2.7:8443', SEALED],
  ['that is not sealed', 'http://192.0.2.7:8080', { kind: 'clear' }],
])('e1_a_beam_%s_says_nothing_of_that', (_, url, encryption) => expect(show(url, encryption)).toBeNull())
