/** Who is logged in on this device. */
import { createStore } from 'zustand/vanilla'
import type { User } from '../protocol/bindings'

export type AccountState =
  /** It is not yet known. */
  { status: 'loading' } | { status: 'anonymous' } | { status: 'authenticated'; user: User }

export function createAccountStore() {
  return createStore<AccountState>()(() => ({ status: 'loading' }))
}
