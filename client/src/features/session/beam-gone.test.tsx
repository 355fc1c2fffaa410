// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, expect, it } from 'vitest'
import type { User } from '../../protocol/bindings'
import type { AccountState } from '../../stores/account'
import type { BeamAccess } from '../../stores/beam-access'
import type { Gone } from '../../stores/connection'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { BeamGone } from './beam-gone'

const ada: User = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
const visitor: AccountState = { status: 'anonymous' }
const owner: AccountState = { status: 'authenticated', user: ada }
const unknown: BeamAccess = { kind: 'unknown' }
const unsaved: BeamAccess = { kind: 'unsaved', creator: false }

afterEach(cleanup)

it.each<[string, Gone, AccountState, BeamAccess, string[]]>([
  [
    'a visitor whom the link does not let in',
    'forbidden',
    visitor,
    unknown,
    ['Login', 'New Beam', 'Join Beam'],
  ],
  ['a visitor removed from an anonymous beam', 'forbidden', visitor, unsaved, ['New Beam', 'Join Beam']],
  ['a person who is logged in', 'forbidden', owner, unknown, ['New Beam', 'Join Beam']],
  ['a person whose login has ended', 'logged-out', visitor, unsaved, ['Login', 'New Beam', 'Join Beam']],
  ['a visitor whose beam has ended', 'ended', visitor, unsaved, ['New Beam', 'Join Beam']],
])('offers %s what helps, and that first', (_who, why, account, access, offered) => {
  const stores = createStores()
  stores.account.setState(account, true)
  stores.access.setState(access, true)
  stores.connection.setState({ status: 'stopped', why }, true)
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <MemoryRouter>
        <BeamGone why={why} />
      </MemoryRouter>
    </AppContext>,
  )
  const ways = [...document.querySelectorAll<HTMLElement>('a, button')]
  expect(ways.map(({ textContent }) => textContent)).toEqual(offered)
  const loud = ways.filter(({ className }) => className.includes('primary'))
  expect(loud).toEqual(ways.slice(0, 1))
  const isRemoved = why === 'forbidden' && access === unsaved
  expect(screen.queryByText('This device was removed from it.') !== null).toBe(isRemoved)
})
