// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Encryption } from '../../stores/encryption'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { NotLetIn } from './not-let-in'

afterEach(cleanup)

function show(encryption: Encryption) {
  const stores = createStores()
  stores.encryption.setState(encryption, true)
  const shareClear = vi.fn()
  render(
    <AppContext value={{ stores, actions: { shareClear } as Partial<Actions> as Actions }}>
      <NotLetIn />
    </AppContext>,
  )
  return { shareClear, button: screen.queryByRole('button', { name: 'Share unencrypted' }) }
}

it('e11_a_person_who_is_let_in_by_nobody_is_told_what_follows_and_may_share_unencrypted', () => {
  const { shareClear, button } = show({ kind: 'locked', isSuspected: false, mayShareClear: true })
  expect(screen.getByRole('heading').textContent).toBe('This beam may be encrypted')
  expect(screen.getByText(/the server can read what you share/)).toBeTruthy()
  fireEvent.click(button as HTMLElement)
  expect(shareClear).toHaveBeenCalledOnce()
})

it.each<[string, Encryption]>([
  ['that others may still be let in to', { kind: 'locked', isSuspected: true, mayShareClear: false }],
  ['whose link has a secret', { kind: 'waiting', isLinkOld: false }],
  ['whose page came without https', { kind: 'insecure', isShutOut: true }],
])('e11_nobody_is_asked_to_share_unencrypted_into_a_beam_%s', (_, encryption) => {
  expect(show(encryption).button).toBeNull()
  expect(screen.getByRole('heading').textContent).toBe('This beam is encrypted')
})
