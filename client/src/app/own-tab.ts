/**
 * Tells a copied tab from its original, and a tab that was closed from one that is open. "Duplicate tab" and `window.open`
 * copy what a tab has stored, its device tokens among it, and a device that uses another's token takes that device's place
 * (S5).
 *
 * A tab has a name, and its page holds the Web Lock of that name for as long as it lives: a page that cannot get the
 * lock is a copy, and a lock that is free is that of a tab that was closed. A mark in the storage would not do, because a
 * browser that ends a page in the background runs no code of it that could remove the mark. Plain http from another machine
 * has no Web Locks. There a copy takes the original's place, and the original takes a new token.
 */
import { beginTab, knownTabs, tabName, takeOver } from './device-tokens'
import { askedFiles } from './marked-files'
import { forgetUnsent } from './unsent-storage'

/** A page that is loaded again gets the lock once the old page is gone, which takes a moment, on a slow phone more. */
const LET_GO_WITHIN_MS = 3000

/**
 * Makes the tab's device tokens its own: a copy forgets them, and what its original has still to send and to receive, and a new tab takes over
 * those of tabs that were closed. Await it before anything is joined. A tab's first page waits for no other page.
 */
export async function ownTab(locks: LockManager | undefined): Promise<void> {
  if (!locks) return
  const name = tabName()
  // Where the browser stood still until that time was over, the lock may be free all the same.
  if (name !== null && ((await hold(locks, name)) || (await isClosed(locks, name)))) return
  // Of a tab that was closed, and whose device another one is now, no tokens are known: what it could not send nobody else does.
  if (name !== null && knownTabs(Date.now()).includes(name)) {
    forgetUnsent()
    askedFiles.forgetAll()
  }
  const own = crypto.randomUUID()
  beginTab(own)
  void hold(locks, own)
  if (name !== null) return
  for (const tab of knownTabs(Date.now())) if (await isClosed(locks, tab)) takeOver(tab)
}

/** Resolves to false when another page holds the lock, and otherwise to true. This page then keeps it until it ends. */
function hold(locks: LockManager, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(LET_GO_WITHIN_MS)
    const request = locks.request(lockName(name), { signal }, () => untilThePageEnds(resolve))
    request.catch(() => resolve(!signal.aborted))
  })
}

/** Whether no page is open in a tab. This page then keeps its lock, so that the tab is a copy if it is opened again. */
function isClosed(locks: LockManager, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const taken = (lock: Lock | null) => (lock ? untilThePageEnds(resolve) : resolve(false))
    locks.request(lockName(name), { ifAvailable: true }, taken).catch(() => resolve(false))
  })
}

function untilThePageEnds(resolve: (has: true) => void): Promise<never> {
  resolve(true)
  return new Promise<never>(() => {})
}

function lockName(name: string): string {
  return `tab ${name}`
}
