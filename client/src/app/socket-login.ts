/**
 * A socket belongs to the login whose cookie came with its upgrade (S27). When a person logs in later, or a login was
 * renewed only after the page had joined, the page joins again.
 */
import type { Stores } from '../stores/stores'

/** Calls `rejoin`, once for each login, when the socket does not belong to the current login. */
export function keepSocketLogin(stores: Stores, rejoin: () => void): void {
  let toldFor: string | null = null
  const check = () => {
    const account = stores.account.getState()
    if (account.status !== 'authenticated') {
      toldFor = null
      return
    }
    const { username } = account.user
    if (toldFor === username || knows(stores, username)) return
    toldFor = username
    rejoin()
  }
  stores.account.subscribe(check)
  stores.connection.subscribe(check)
  stores.devices.subscribe(check)
}

/** Whether this device is listed under its login. Before the list arrives, it is assumed to be. */
function knows({ connection, devices }: Stores, username: string): boolean {
  const channel = connection.getState()
  if (channel.status === 'stopped') return channel.why !== 'logged-out'
  const state = devices.getState()
  const self = state.devices.find(({ device_id }) => device_id === state.me)
  return self === undefined || self.username === username
}
