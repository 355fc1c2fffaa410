/** Events of the page that do not concern its beam: sleep and wake, loss of the network, leaving, installation. */
import type { Stores } from '../stores/stores'
import { tellLosses } from './connection-news'
import { followKeyboard } from './keyboard'
import { makeStorageLast } from './lasting-storage'
import { warnBeforeLeaving } from './leaving'
import { startOfflineWorker } from './offline-start'
import { keepScreenAwake } from './screen-lock'
import type { Toaster } from './toaster'

/** Starts to follow these events. `wake` checks the live channel at once. Call it once. */
export function followThePage(stores: Stores, toaster: Toaster, wake: () => void): void {
  tellLosses(stores.connection, toaster, wake)
  wakeWithThePage(() => {
    const shown = stores.connection.getState()
    // A connection that has stopped for good is not tried again.
    if (shown.status !== 'stopped' || shown.why === 'unreachable') wake()
  })
  keepScreenAwake(stores)
  makeStorageLast(stores)
  warnBeforeLeaving(stores)
  followKeyboard()
  startOfflineWorker()
}

export function isSeen(): boolean {
  return document.visibilityState === 'visible'
}

/** Reconnects at once when the phone wakes or the network is back. */
function wakeWithThePage(wake: () => void): void {
  addEventListener('online', wake)
  document.addEventListener('visibilitychange', () => {
    if (isSeen()) wake()
  })
}
