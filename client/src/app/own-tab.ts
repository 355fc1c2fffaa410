/**
 * Tells a copied tab from its original. "Duplicate tab" and `window.open` copy what a tab has stored, its device tokens
 * among it, and a device that uses another's token takes that device's place (S5).
 *
 * A tab has a name, and its page holds the Web Lock of that name for as long as it lives: a page that cannot get the
 * lock is a copy. A mark in the storage would not do, because a browser that ends a page in the background runs no code
 * of it that could remove the mark. Plain http from another machine has no Web Locks. There a copy takes the original's
 * place, and the original takes a new token.
 */
import { tabStorage } from '../stores/site-storage'
import { forgetDeviceTokens } from './session-storage'

const NAME_KEY = 'tab'
/** A page that is loaded again gets the lock once the old page is gone, which takes a moment, on a slow phone more. */
const LET_GO_WITHIN_MS = 3000

/**
 * Makes the tab's device tokens its own: a copy forgets them. Await it before anything is joined. A tab's first page does
 * not wait for anything.
 */
export async function ownTab(locks: LockManager | undefined): Promise<void> {
  if (!locks) return
  const name = tabStorage.getItem(NAME_KEY)
  if (name !== null && (await hold(locks, name))) return
  if (name !== null) forgetDeviceTokens()
  const own = crypto.randomUUID()
  tabStorage.setItem(NAME_KEY, own)
  void hold(locks, own)
}

/** Resolves to false when another page holds the lock, and otherwise to true. This page then keeps it until it ends. */
function hold(locks: LockManager, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const untilThePageEnds = () => {
      resolve(true)
      return new Promise<never>(() => {})
    }
    const signal = AbortSignal.timeout(LET_GO_WITHIN_MS)
    locks.request(`tab ${name}`, { signal }, untilThePageEnds).catch(() => resolve(!signal.aborted))
  })
}
