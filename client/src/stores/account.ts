/** Who is logged in on this device. */
import { createStore } from 'zustand/vanilla'
import type { User } from '../protocol/bindings'

export type AccountState =
  /** It is not yet known. */
  { status: 'loading' } | { status: 'anonymous' } | { status: 'authenticated'; user: User }

export type AccountEvent = { type: 'loggedIn'; user: User } | { type: 'loggedOut' }

/** Every way the login can change. What says nothing new changes nothing, so that nobody is drawn again for it. */
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
