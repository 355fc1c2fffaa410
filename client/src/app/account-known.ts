/** Whether anybody is logged in, as far as the page has found out. */
import type { AccountState } from '../stores/account'
import type { Stores } from '../stores/stores'
import { readMe } from '../transport/account-calls'

export type KnownAccount = Exclude<AccountState, { status: 'loading' }>

/** Waits until the page has found out who is logged in. A stale login has then been renewed. */
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

/** Renews a stale login, and resolves to whether anybody is logged in. @throws when the server does not tell */
export async function isLoggedIn(stores: Pick<Stores, 'account'>): Promise<boolean> {
  const account = await accountKnown(stores)
  const isNobody = account.status === 'anonymous' && !account.isGuess
  return !isNobody && (await readMe()) !== null
}
