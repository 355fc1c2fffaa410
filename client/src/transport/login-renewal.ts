/**
 * Renews a stale login once, however many calls notice at the same time, in this tab or another. The outcome is
 * announced by two events of the window, `tokenRefreshed` and `authLogout`.
 */
import type { User } from '../protocol/bindings'
import { HttpError, type Renewal } from './http'

/** A renewal by another tab within this time also counts for this tab. */
const JUST_NOW_MS = 2000
const LOCK_KEY = 'heliograph login'
const RENEWED_AT_KEY = 'login renewed at'

interface Calls {
  refresh(): Promise<void>
  readMe(): Promise<User>
  /** Storage that all tabs share. */
  readonly storage: { getItem(key: string): string | null; setItem(key: string, value: string): void }
  now(): number
}

/** Returns the function that renews the login. */
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
  const renewedAt = Number(storage.getItem(RENEWED_AT_KEY) ?? 0)
  if (Math.abs(now() - renewedAt) < JUST_NOW_MS) return
  await refresh()
  storage.setItem(RENEWED_AT_KEY, String(now()))
}

/** Runs `work` in one tab at a time. Without locks (plain http) two tabs may renew at once, which H16 allows. */
async function oneTabAtATime(work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work()
  await navigator.locks.request(LOCK_KEY, work)
}
