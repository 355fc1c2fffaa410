// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { BeamAccess } from '../../stores/beam-access'
import type { Encryption } from '../../stores/encryption'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { DepositedReason } from './deposited-reason'

const REASON = 'The people who run the server could read what was shared here without a vault.'
const CABIN = { beam_name: 'Cabin', role: 'owner', link_access: 'write', by_link: false } as const
const saved: BeamAccess = { kind: 'saved', saved: CABIN }

afterEach(cleanup)

function show(access: BeamAccess, encryption: Encryption) {
  const stores = createStores()
  stores.access.setState(access, true)
  stores.encryption.setState(encryption, true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <DepositedReason />
    </AppContext>,
  )
}

it('e9_a_saved_beam_whose_keys_the_server_has_says_who_could_read_it', () => {
  show(saved, { kind: 'sealed', isDeposited: true })
  expect(screen.getByText(REASON)).toBeDefined()
})

it.each<[string, BeamAccess, Encryption]>([
  ['whose keys are in vaults', saved, { kind: 'sealed', isDeposited: false }],
  ['that is not saved', { kind: 'unsaved', creator: true }, { kind: 'sealed', isDeposited: true }],
  ['whose keys are looked for', saved, { kind: 'unknown', isSuspected: false }],
])('e9_a_beam_%s_says_nothing_of_that', (_which, access, encryption) => {
  show(access, encryption)
  expect(screen.queryByText(REASON)).toBeNull()
})
