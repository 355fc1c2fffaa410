// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { BeamId, Site } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { InsecureBar } from './insecure-bar'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const SECRET = 'A'.repeat(43)
const HOME = 'https://192.168.1.7:8443'

afterEach(cleanup)

function show(network_url: string | null, encryption: { isShutOut: boolean } = { isShutOut: false }) {
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
  stores.encryption.setState({ kind: 'insecure', ...encryption }, true)
  const session = { beamId: BEAM, beamKey: null, beamName: '', invite: SECRET, expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <InsecureBar />
    </AppContext>,
  )
}

it('e12_a_page_without_https_leads_to_the_same_beam_by_https', () => {
  show(HOME)
  expect(screen.getByRole('status').textContent).toContain('Nothing on this page is encrypted')
  expect(screen.getByRole('link').getAttribute('href')).toBe(`${HOME}/?beam_id=${BEAM}#k=${SECRET}`)
})

it.each([null, 'http://192.168.1.7:8080'])(
  'e12_it_leads_nowhere_where_the_server_has_no_https: %s',
  (url) => {
    show(url)
    expect(screen.queryByRole('link')).toBeNull()
    expect(screen.getByRole('status').textContent).toContain('Ask whoever runs this server')
  },
)

it('a page that stays out of its beam says so in place of the bar', () => {
  show(HOME, { isShutOut: true })
  expect(screen.queryByRole('status')).toBeNull()
})
