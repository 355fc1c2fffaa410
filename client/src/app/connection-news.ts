/** Shows one toast for each loss of the connection, and removes it after the reconnect. */
import { t } from '@lingui/core/macro'
import type { Connection } from '../stores/connection'
import type { Stores } from '../stores/stores'
import type { Toaster } from './toaster'

/** Starts to watch the connection. Call it once. */
export function tellLosses(connection: Stores['connection'], toaster: Toaster, retry: () => void): void {
  let told: number | null = null
  connection.subscribe((now, before) => {
    if (now.status === 'reconnecting' && before.status === 'live') {
      told = navigator.onLine
        ? toaster.info(t`Connection lost. What you add now is sent when it is back.`, {
            label: t`Retry now`,
            run: retry,
          })
        : toaster.info(t`You are offline. What you add now is sent when you are back.`)
    } else if (told !== null && isOver(now)) {
      toaster.dismiss(told)
      told = null
    }
  })
}

function isOver({ status }: Connection): boolean {
  return status !== 'reconnecting'
}
