/**
 * A socket belongs to the login whose cookie came with its upgrade (S27). When a person logs in later, or when the
 * cookie was stale and the login was renewed only after the page had joined, the page joins again.
 */
import type { Stores } from '../stores/stores'

interface Ways {
  /** Asks the server who is logged in, which renews a stale cookie. */
  makeSure(): Promise<unknown>
  rejoin(): void
}

/** Joins again, once for each login and each renewal, when the socket does not belong to the current login. */
export function keepSocketLogin(stores: Stores, { makeSure, rejoin }: Ways): void {
  let triedFor: string | null = null
  /** Counts the attempts, so that a newer one replaces one that still waits for the server. */
  let attempts = 0
  /** Returns the username that the socket should belong to and does not. */
  const missing = () => {
    const account = stores.account.getState()
    return account.status === 'authenticated' && !mayKnow(stores, account.user.username)
      ? account.user.username
      : null
  }
  const check = async () => {
    if (isSettled(stores)) triedFor = null
    const username = missing()
    if (username === null || triedFor === username) return
    triedFor = username
    attempts += 1
    const attempt = attempts
    const isSure = await makeSure().then(
      () => true,
      () => false,
    )
    if (attempt !== attempts) return
    // Without an answer nothing was tried, so the next news of the channel tries again.
    if (!isSure) triedFor = null
    else if (missing() !== null) rejoin()
  }
  stores.account.subscribe(() => void check())
  stores.connection.subscribe(() => void check())
  stores.devices.subscribe(() => void check())
  addEventListener('tokenRefreshed', () => {
    attempts += 1
    triedFor = missing()
    if (triedFor !== null) rejoin()
  })
}

/** Whether nobody is logged in, or the server lists this device under its login. */
function isSettled({ account, devices }: Stores): boolean {
  const state = account.getState()
  if (state.status !== 'authenticated') return true
  return self(devices)?.username === state.user.username
}

/**
 * Whether the server may know this device by its login. Before the list of devices arrives, it is assumed to. A socket
 * that was refused is not: the beam may be open to the login but not to its link.
 */
function mayKnow({ connection, devices }: Stores, username: string): boolean {
  const channel = connection.getState()
  if (channel.status === 'stopped') return channel.why !== 'logged-out' && channel.why !== 'forbidden'
  const me = self(devices)
  return me === undefined || me.username === username
}

function self(devices: Stores['devices']) {
  const { devices: here, me } = devices.getState()
  return here.find(({ device_id }) => device_id === me)
}
