// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createStores } from '../../stores/stores'
import type { AccountActions } from '../account-actions'
import { type Actions, AppContext } from '../actions'
import { DeleteAccountDialog } from './delete-account-dialog'

afterEach(cleanup)

it('e16 deletes an account whose vault the server denies, once the person says that the password is from the operator', async () => {
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  const deleteAccount = vi.fn<AccountActions['deleteAccount']>(async () => ({ ok: true }))
  deleteAccount.mockResolvedValueOnce({
    ok: false,
    fields: {},
    whole: 'Never your own.',
    wantsPassword: true,
  })
  const actions = { account: { deleteAccount } } as unknown as Actions
  render(
    <AppContext value={{ stores: createStores(), actions }}>
      <DeleteAccountDialog onClose={() => {}} />
    </AppContext>,
  )
  fireEvent.change(screen.getByLabelText('Password', { selector: 'input' }), { target: { value: 'given' } })
  fireEvent.click(screen.getByRole('button', { name: 'Delete Account' }))
  fireEvent.click(await screen.findByRole('checkbox', { name: 'The operator has given me this password' }))
  fireEvent.click(screen.getByRole('button', { name: 'Delete Account' }))
  expect(deleteAccount.mock.calls).toEqual([
    ['given', false],
    ['given', true],
  ])
})
