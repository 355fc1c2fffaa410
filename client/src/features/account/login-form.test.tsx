// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStores } from '../../stores/stores'
import type { AccountActions } from '../account-actions'
import { type Actions, AppContext } from '../actions'
import { LoginForm } from './login-form'

const logIn = vi.fn<AccountActions['logIn']>(async () => ({ ok: true }))
const field = (name: string) => screen.getByLabelText(name, { selector: 'input' })
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } })

function submits(): void {
  type('Username', 'mira')
  type('Password', 'not the password')
  fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
}

beforeEach(() => {
  vi.clearAllMocks()
  const actions = { account: { logIn } } as unknown as Actions
  render(
    <AppContext value={{ stores: createStores(), actions }}>
      <MemoryRouter>
        <LoginForm />
      </MemoryRouter>
    </AppContext>,
  )
})
afterEach(cleanup)

describe('the error of a login', () => {
  it('that belongs to no field stands above the button, until something is typed', async () => {
    logIn.mockResolvedValueOnce({ ok: false, fields: {}, whole: 'Invalid credentials' })
    submits()
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toBe('Invalid credentials')
    expect(alert.nextElementSibling).toBe(screen.getByRole('button', { name: 'Sign In' }))
    type('Password', 'another one')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('that belongs to a field stands at the field', async () => {
    logIn.mockResolvedValueOnce({ ok: false, fields: { username: 'Username is required' }, whole: null })
    submits()
    expect(await screen.findByText('Username is required')).toBeDefined()
    expect(field('Username').getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(field('Username'))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('goes while the form is sent again', async () => {
    logIn.mockResolvedValueOnce({ ok: false, fields: {}, whole: 'Too many attempts.' })
    submits()
    await screen.findByRole('alert')
    logIn.mockReturnValueOnce(new Promise(() => {}))
    fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
    expect(await screen.findByRole('button', { name: 'Signing in...' })).toBeDefined()
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

it('e16 asks whether the operator has given the password, where the server denies a vault that was here', async () => {
  logIn.mockResolvedValueOnce({ ok: false, fields: {}, whole: 'Never your own.', wantsPassword: true })
  submits()
  fireEvent.click(await screen.findByRole('checkbox', { name: 'The operator has given me this password' }))
  fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
  expect(logIn.mock.calls.map(([, , isFromOperator]) => isFromOperator)).toEqual([false, true])
})

it('e16 takes no word about the password of one account for that of another', async () => {
  logIn.mockResolvedValueOnce({ ok: false, fields: {}, whole: 'Never your own.', wantsPassword: true })
  submits()
  fireEvent.click(await screen.findByRole('checkbox'))
  type('Username', 'ada')
  expect(screen.queryByRole('checkbox')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Sign In' }))
  expect(logIn.mock.calls.map(([name, , isFromOperator]) => [name, isFromOperator])).toEqual([
    ['mira', false],
    ['ada', false],
  ])
})
