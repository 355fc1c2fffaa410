import type { ReactNode } from 'react'
import { Navigate } from 'react-router'
import { useStore } from 'zustand'
import { useApp } from '../../features/actions'
import { paths } from '../../features/paths'
import type { User } from '../../protocol/bindings'
import { Loading } from '../shell/loading'

/** A page that needs a login. Visitors are redirected to the login page. */
export function ForAccounts({ children }: { children: (user: User) => ReactNode }) {
  const account = useStore(useApp().stores.account, (state) => state)
  if (account.status === 'loading') return <Loading />
  if (account.status === 'anonymous') return <Navigate to={paths.login} replace />
  return children(account.user)
}

/** A page for visitors. A person who is logged in is redirected home, as after a login. */
export function ForVisitors({ children }: { children: ReactNode }) {
  const { status } = useStore(useApp().stores.account, (state) => state)
  if (status === 'loading') return <Loading />
  if (status === 'authenticated') return <Navigate to={paths.home} replace />
  return children
}
