/** What happens to a page beside its beam: it sleeps and wakes, loses the network, is installed, is shared into. */
import type { Actions } from '../features/actions'
import type { Stores } from '../stores/stores'
import { tellLosses } from './connection-news'
import { followKeyboard } from './keyboard'
import { startOfflineWorker } from './offline-start'
import { keepScreenAwake } from './screen-lock'
import { shareWhatCameIn } from './shared-in'
import type { Toaster } from './toaster'

/** Follows the page for as long as it lives. `wake` looks after the live channel at once. Call it once. */
export function followThePage(stores: Stores, toaster: Toaster, actions: Actions, wake: () => void): void {
  tellLosses(stores.connection, toaster, wake)
  wakeWithThePage(() => {
    const shown = stores.connection.getState()
    // What has ended for good is not tried again.
    if (shown.status !== 'stopped' || shown.why === 'unreachable') wake()
  })
  keepScreenAwake(stores.transfers)
  followKeyboard()
  startOfflineWorker()
  void shareWhatCameIn(stores, actions)
}

export function isSeen(): boolean {
  return document.visibilityState === 'visible'
}

/** A phone that wakes, or a network that is back, reconnects at once. */
function wakeWithThePage(wake: () => void): void {
  addEventListener('online', wake)
  document.addEventListener('visibilitychange', () => {
    if (isSeen()) wake()
  })
}
