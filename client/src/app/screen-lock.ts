/** Keeps the screen awake during transfers, because a phone that falls asleep loses its links. */

import { isAnyMoving } from '../stores/losses'
import type { Stores } from '../stores/stores'

/**
 * Starts to follow the transfers. Call it once. A browser or a low battery may refuse the lock; the screen then sleeps.
 */
export function keepScreenAwake({ transfers, screen }: Pick<Stores, 'transfers' | 'screen'>): void {
  if (!('wakeLock' in navigator)) return
  let wanted = false
  let lock: Promise<WakeLockSentinel | null> | null = null
  const ask = () => {
    const asked = request()
    lock = asked
    const lost = () => {
      if (lock !== asked) return
      lock = null
      screen.setState({ staysOn: false }, true)
    }
    void asked.then((held) => {
      // Once the page is shown again, it may be given.
      if (!held) return lost()
      if (lock === asked) screen.setState({ staysOn: true }, true)
      held.addEventListener('release', lost, { once: true })
    })
  }
  const adjust = () => {
    if (wanted && !lock && document.visibilityState === 'visible') ask()
    if (!wanted && lock) {
      void lock.then((held) => held?.release())
      lock = null
      screen.setState({ staysOn: false }, true)
    }
  }
  transfers.subscribe((state) => {
    const now = isAnyMoving(state)
    if (now === wanted) return
    wanted = now
    adjust()
  })
  // The browser releases the lock when the page is hidden.
  document.addEventListener('visibilitychange', adjust)
}

async function request(): Promise<WakeLockSentinel | null> {
  try {
    return await navigator.wakeLock.request('screen')
  } catch {
    return null
  }
}
