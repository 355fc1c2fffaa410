// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Device, DeviceId } from '../protocol/bindings'
import { reduceDevices } from '../stores/devices'
import { createStores, type Stores } from '../stores/stores'
import { keepSocketLogin } from './socket-login'

let stores: Stores
let rejoined: number
/** Questions to the server that it has not answered yet, the oldest first. */
let asked: { resolve(): void; reject(): void }[]
/** Removes the listeners that this page added to the window. */
let leaves: AbortController

beforeEach(() => {
  stores = createStores()
  rejoined = 0
  asked = []
  leaves = new AbortController()
  const listen = window.addEventListener.bind(window)
  vi.stubGlobal('addEventListener', (type: string, listener: EventListener) =>
    listen(type, listener, { signal: leaves.signal }),
  )
  keepSocketLogin(stores, {
    makeSure: () => new Promise<void>((resolve, reject) => asked.push({ resolve, reject })),
    rejoin() {
      rejoined += 1
    },
  })
  stores.devices.setState((state) => reduceDevices(state, { type: 'welcomed', me: 'me' as DeviceId }), true)
})
afterEach(() => {
  leaves.abort()
  vi.unstubAllGlobals()
})

const isListed = (username?: string) => {
  const self: Device = {
    device_id: 'me' as DeviceId,
    name: 'Chrome',
    caps: [],
    ...(username && { username }),
  }
  stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [self] }), true)
}
const logsIn = (username: string) => {
  const user = { username, first_name: 'Ada', last_name: '', email: '', profile_picture: null }
  stores.account.setState({ status: 'authenticated', user }, true)
}
const stops = (why: 'forbidden' | 'logged-out' | 'ended') =>
  stores.connection.setState({ status: 'stopped', why }, true)
/** The server answers who is logged in. */
const answers = async () => {
  asked.shift()?.resolve()
  await new Promise((resolve) => setTimeout(resolve))
}
const renews = () => window.dispatchEvent(new CustomEvent('tokenRefreshed'))

describe('the login of the live channel', () => {
  it('s27_is_renewed_by_a_login_after_joining', async () => {
    isListed()
    expect(rejoined).toBe(0)
    logsIn('ada')
    await answers()
    expect(rejoined).toBe(1)
    isListed('ada')
    await answers()
    expect(rejoined).toBe(1)
  })

  it('stays when the socket already has it', async () => {
    isListed('ada')
    logsIn('ada')
    await answers()
    expect(rejoined).toBe(0)
  })

  it('waits until the device is listed', async () => {
    logsIn('ada')
    await answers()
    expect(rejoined).toBe(0)
    isListed()
    await answers()
    expect(rejoined).toBe(1)
  })

  it('is tried only once', async () => {
    logsIn('ada')
    isListed()
    await answers()
    isListed()
    await answers()
    expect(rejoined).toBe(1)
  })

  it('is renewed on a channel that the end of a login had closed', async () => {
    stores.account.setState({ status: 'anonymous' }, true)
    stops('logged-out')
    expect(rejoined).toBe(0)
    logsIn('ada')
    await answers()
    expect(rejoined).toBe(1)
  })
})

describe('a cookie that was stale when the page joined', () => {
  it('is renewed before the page joins again', async () => {
    logsIn('ada')
    isListed()
    expect(asked).toHaveLength(1)
    expect(rejoined).toBe(0)
    await answers()
    expect(rejoined).toBe(1)
  })

  it('does not lock the owner out of a beam without link access', async () => {
    stops('forbidden')
    logsIn('ada')
    await answers()
    expect(rejoined).toBe(1)
    // Refused with a fresh cookie too: the beam is closed to this person.
    stops('forbidden')
    await answers()
    expect(rejoined).toBe(1)
  })

  it('makes nobody a guest for good: each renewal tries again', async () => {
    logsIn('ada')
    isListed()
    await answers()
    isListed()
    renews()
    expect(rejoined).toBe(2)
    isListed('ada')
    renews()
    expect(rejoined).toBe(2)
  })

  it('is noticed again at a later reconnect', async () => {
    logsIn('ada')
    isListed()
    await answers()
    isListed('ada')
    isListed()
    await answers()
    expect(rejoined).toBe(2)
  })

  it('is joined with once, although the question itself renews it', async () => {
    logsIn('ada')
    isListed()
    renews()
    await answers()
    expect(rejoined).toBe(1)
  })

  it('is tried again after a question that got no answer', async () => {
    logsIn('ada')
    isListed()
    asked.shift()?.reject()
    await new Promise((resolve) => setTimeout(resolve))
    expect(rejoined).toBe(0)
    isListed()
    await answers()
    expect(rejoined).toBe(1)
  })
})
