/**
 * A login that has grown stale is renewed once, however many calls find out at the same time, in this tab or in another.
 * What came of it is told by two events of the window, `tokenRefreshed` and `authLogout`.
 */
import type { User } from '../protocol/bindings'
import { HttpError, type Renewal } from './http'

/** Another tab that renewed the login a moment ago did it for this one too. */
const JUST_NOW_MS = 2000
const LOCK = 'heliograph login'
const RENEWED_AT = 'login renewed at'

interface Calls {
  refresh(): Promise<void>
  readMe(): Promise<User>
  /** Shared by all tabs. */
  readonly storage: { getItem(key: string): string | null; setItem(key: string, value: string): void }
  now(): number
}

/** The way to renew a login. */
export function loginRenewal(calls: Calls): () => Promise<Renewal> {
  let underWay: Promise<Renewal> | null = null
  return () => {
    underWay ??= renew(calls).finally(() => {
      underWay = null
    })
    return underWay
  }
}

async function renew(calls: Calls): Promise<Renewal> {
  try {
    await oneTabAtATime(() => refreshUnlessJustDone(calls))
    const user = await calls.readMe()
    window.dispatchEvent(new CustomEvent<User>('tokenRefreshed', { detail: user }))
    return 'renewed'
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 401) return 'unknown'
    window.dispatchEvent(new Event('authLogout'))
    return 'over'
  }
}

async function refreshUnlessJustDone({ refresh, storage, now }: Calls): Promise<void> {
  const renewedAt = Number(storage.getItem(RENEWED_AT) ?? 0)
  if (Math.abs(now() - renewedAt) < JUST_NOW_MS) return
  await refresh()
  storage.setItem(RENEWED_AT, String(now()))
}

/** Without locks (plain http, older browsers) the server forgives two that come at once (H16). */
async function oneTabAtATime(work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work()
  await navigator.locks.request(LOCK, work)
}
