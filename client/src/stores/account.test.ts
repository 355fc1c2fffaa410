import { describe, expect, it } from 'vitest'
import type { User } from '../protocol/bindings'
import { type AccountState, reduceAccount } from './account'

const ada: User = {
  username: 'ada',
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.org',
  profile_picture: null,
}
const loading: AccountState = { status: 'loading' }
const asAda: AccountState = { status: 'authenticated', user: ada }

describe('the account of this device', () => {
  it('is known once the login is checked', () => {
    expect(reduceAccount(loading, { type: 'loggedIn', user: ada })).toEqual(asAda)
    expect(reduceAccount(loading, { type: 'loggedOut' })).toEqual({ status: 'anonymous' })
  })

  it('is a guess until the server has said that nobody is logged in', () => {
    const guessed = reduceAccount(loading, { type: 'loggedOut', isGuess: true })
    expect(guessed).toEqual({ status: 'anonymous', isGuess: true })
    const told = reduceAccount(guessed, { type: 'loggedOut' })
    expect(told).toEqual({ status: 'anonymous' })
    expect(reduceAccount(told, { type: 'loggedOut', isGuess: true })).toBe(told)
  })

  it('keeps nothing of a user who has logged out', () => {
    expect(reduceAccount(asAda, { type: 'loggedOut' })).toEqual({ status: 'anonymous' })
  })

  it('replaces a changed user', () => {
    const user = { ...ada, profile_picture: '/api/pictures/1' }
    expect(reduceAccount(asAda, { type: 'loggedIn', user })).toEqual({ status: 'authenticated', user })
  })

  it('stays the same object when nothing has changed', () => {
    expect(reduceAccount(asAda, { type: 'loggedIn', user: { ...ada } })).toBe(asAda)
    const anonymous: AccountState = { status: 'anonymous' }
    expect(reduceAccount(anonymous, { type: 'loggedOut' })).toBe(anonymous)
  })
})
