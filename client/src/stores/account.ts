/** The login of this device. */
import { createStore } from 'zustand/vanilla'
import type { User } from '../protocol/bindings'

export type AccountState =
  /** `loading`: it is not known yet whether anybody is logged in. */
  { status: 'loading' } | { status: 'anonymous' } | { status: 'authenticated'; user: User }

export type AccountEvent = { type: 'loggedIn'; user: User } | { type: 'loggedOut' }

/**
 * Applies an event to the login. An event without a change returns the same state, so that nothing is rendered again.
 */
export function reduceAccount(state: AccountState, event: AccountEvent): AccountState {
  switch (event.type) {
    case 'loggedIn': {
      const isSame =
        state.status === 'authenticated' && JSON.stringify(state.user) === JSON.stringify(event.user)
      return isSame ? state : { status: 'authenticated', user: event.user }
    }
    case 'loggedOut':
      return state.status === 'anonymous' ? state : { status: 'anonymous' }
  }
}

export function createAccountStore() {
  return createStore<AccountState>()(() => ({ status: 'loading' }))
}
