/** Waits until the page has found out who is logged in. A stale login has then been renewed. */
import type { AccountState } from '../stores/account'
import type { Stores } from '../stores/stores'

export type KnownAccount = Exclude<AccountState, { status: 'loading' }>

export function accountKnown({ account }: Pick<Stores, 'account'>): Promise<KnownAccount> {
  return new Promise((resolve) => {
    const now = account.getState()
    if (now.status !== 'loading') return resolve(now)
    const end = account.subscribe((state) => {
      if (state.status === 'loading') return
      end()
      resolve(state)
    })
  })
}
