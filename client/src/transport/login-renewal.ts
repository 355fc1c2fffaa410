/**
 * A login that has grown stale is renewed once, however many calls find out at the same time, in this tab or in another.
 * What came of it is told by two events of the window, `tokenRefreshed` and `authLogout`.
 */
import type { User } from '../protocol/bindings'
import { HttpError } from './http'

/** Another tab that renewed the login a moment ago did it for this one too. */
const JUST_NOW_MS = 2000
const LOCK = 'heliograph login'
const RENEWED_AT = 'login renewed at'

interface Calls {
  refresh(): Promise<void>
  readMe(): Promise<User>
  now(): number
}

/** The way to renew; true when the call that was refused is worth another try. */
export function loginRenewal(calls: Calls): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null
  return () => {
    underWay ??= renew(calls).finally(() => {
      underWay = null
    })
    return underWay
  }
}

async function renew(calls: Calls): Promise<boolean> {
  try {
    await oneTabAtATime(() => refreshUnlessJustDone(calls))
    const user = await calls.readMe()
    window.dispatchEvent(new CustomEvent<User>('tokenRefreshed', { detail: user }))
    return true
  } catch (error) {
    // A network that is away says nothing about the login.
    if (!(error instanceof HttpError) || error.status !== 401) return false
    window.dispatchEvent(new Event('authLogout'))
    return false
  }
}

async function refreshUnlessJustDone({ refresh, now }: Calls): Promise<void> {
  const renewedAt = Number(localStorage.getItem(RENEWED_AT) ?? 0)
  if (Math.abs(now() - renewedAt) < JUST_NOW_MS) return
  await refresh()
  localStorage.setItem(RENEWED_AT, String(now()))
}

/** Without locks (plain http, older browsers) the server forgives two that come at once (H16). */
async function oneTabAtATime(work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work()
  await navigator.locks.request(LOCK, work)
}
