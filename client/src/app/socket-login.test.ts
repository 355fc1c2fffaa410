import { beforeEach, describe, expect, it } from 'vitest'
import type { Device, DeviceId } from '../protocol/bindings'
import { reduceDevices } from '../stores/devices'
import { createStores, type Stores } from '../stores/stores'
import { keepSocketLogin } from './socket-login'

let stores: Stores
let rejoined: number

beforeEach(() => {
  stores = createStores()
  rejoined = 0
  keepSocketLogin(stores, () => {
    rejoined += 1
  })
  stores.devices.setState((state) => reduceDevices(state, { type: 'welcomed', me: 'me' as DeviceId }), true)
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

describe('the login of the live channel', () => {
  it('s27_is_renewed_by_a_login_after_joining', () => {
    isListed()
    expect(rejoined).toBe(0)
    logsIn('ada')
    expect(rejoined).toBe(1)
    isListed('ada')
    expect(rejoined).toBe(1)
  })

  it('stays when the socket already has it', () => {
    isListed('ada')
    logsIn('ada')
    expect(rejoined).toBe(0)
  })

  it('waits until the device is listed', () => {
    logsIn('ada')
    expect(rejoined).toBe(0)
    isListed()
    expect(rejoined).toBe(1)
  })

  it('is tried only once', () => {
    logsIn('ada')
    isListed()
    isListed()
    expect(rejoined).toBe(1)
  })

  it('is renewed on a channel that the end of a login had closed', () => {
    stores.account.setState({ status: 'anonymous' }, true)
    stores.connection.setState({ status: 'stopped', why: 'logged-out' }, true)
    expect(rejoined).toBe(0)
    logsIn('ada')
    expect(rejoined).toBe(1)
  })
})
