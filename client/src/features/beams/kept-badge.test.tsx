// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Beam, BeamId } from '../../protocol/bindings'
import type { HowKept } from '../../protocol/vaults'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { KeptBadge } from './kept-badge'

const OWN = 'own' as BeamId
const SHARED = 'shared' as BeamId

/** Shows the badge of a beam, of which the list says that its keys are kept so. */
function shows(beam: BeamId, how: HowKept): void {
  const stores = createStores()
  const mine = [{ beam_id: OWN } as Beam]
  stores.beams.setState({ lists: { status: 'ready', mine, withMe: [], byMe: [] } })
  stores.vault.setState({ kept: { [beam]: how } })
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <KeptBadge beam={beam} />
    </AppContext>,
  )
}

afterEach(cleanup)

it('e18_says_of_an_own_beam_who_can_read_it', () => {
  shows(OWN, 'sealed')
  expect(screen.getByText('Readable only by you and those you shared it with')).toBeDefined()
})

it('e18_says_of_an_own_beam_that_was_there_before_the_vault_what_others_could_read', () => {
  shows(OWN, 'sealed-since')
  const said = screen.getByText(/^What is shared since you set up your vault is readable only by you/)
  expect(said.textContent).toContain('The people who run the server could read what was shared before.')
})

it.each(['sealed', 'sealed-since'] as const)(
  'e18_says_of_a_beam_of_another_account_nothing_like_that (%s)',
  (how) => {
    shows(SHARED, how)
    expect(document.body.textContent).toBe('')
  },
)

it('e18_says_of_any_beam_that_the_server_can_read_it', () => {
  shows(SHARED, 'readable')
  expect(screen.getByText(/^The people who run the server could read this beam/)).toBeDefined()
})
