/** The login of this device. */
import { createStore } from 'zustand/vanilla'
import type { User } from '../protocol/bindings'

export type AccountState =
  /** `loading`: it is not known yet whether anybody is logged in. */
  | { status: 'loading' }
  /** `isGuess`: nobody has told, and the page goes on as without a login. */
  | { status: 'anonymous'; isGuess?: boolean }
  | { status: 'authenticated'; user: User }

export type AccountEvent = { type: 'loggedIn'; user: User } | { type: 'loggedOut'; isGuess?: boolean }

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
    case 'loggedOut': {
      const isGuess = event.isGuess ?? false
      const isSame = state.status === 'anonymous' && (isGuess || !state.isGuess)
      return isSame ? state : { status: 'anonymous', ...(isGuess && { isGuess }) }
    }
  }
}

export function createAccountStore() {
  return createStore<AccountState>()(() => ({ status: 'loading' }))
}
