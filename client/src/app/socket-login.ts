/**
 * The live channel has the login that its upgrade had (S27). Who logs in later, or whose login was renewed only after the
 * page had joined, joins once more.
 */
import type { Stores } from '../stores/stores'

/** Calls `rejoin`, once for each login, when the channel does not know who is logged in here. */
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

/** Whether this device is listed under its login. One that is not listed yet may still be. */
function knows({ connection, devices }: Stores, username: string): boolean {
  const channel = connection.getState()
  if (channel.status === 'stopped') return channel.why !== 'logged-out'
  const state = devices.getState()
  const self = state.devices.find(({ device_id }) => device_id === state.me)
  return self === undefined || self.username === username
}
