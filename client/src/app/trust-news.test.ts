import { beforeEach, describe, expect, it } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { reduceDevices } from '../stores/devices'
import { createStores, type Stores } from '../stores/stores'
import { reduceTrust, type Trust } from '../stores/trust'
import { createToaster } from './toaster'
import { tellTrust } from './trust-news'

const PHONE = 'phone' as DeviceId
const asking: Trust = { signs: [1, 2, 3, 4], state: 'asking', isIn: false }
const outside: Trust = { signs: [1, 2, 3, 4], state: 'unverified', isIn: false }

let stores: Stores

beforeEach(() => {
  stores = createStores()
  const devices = [{ device_id: PHONE, name: 'Desk', caps: [] }]
  stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices }), true)
  tellTrust(stores, createToaster(stores.toasts))
})

const learns = (trust: Trust | null) =>
  stores.trust.setState((state) => reduceTrust(state, { type: 'learnt', device: PHONE, trust }), true)
const toasts = () => stores.toasts.getState().toasts
const looks = () => toasts()[0]?.action?.run()

describe('e8 a device that wants to come in', () => {
  it('is told of until it is answered, with a way to where that is done', () => {
    learns(asking)
    expect(toasts()).toMatchObject([
      { text: 'Desk wants to come in', lasts: true, action: { label: 'Look' } },
    ])
    learns(null)
    expect(toasts()).toEqual([])
    learns(asking)
    looks()
    expect(stores.deviceList.getState()).toEqual({ kind: 'open', at: PHONE })
    // It would lie over the buttons that answer.
    expect(toasts()).toEqual([])
  })

  it('is not told of any more once the beam was left', () => {
    stores.connection.setState({ status: 'live' }, true)
    learns(asking)
    stores.connection.setState({ status: 'idle' }, true)
    expect(toasts()).toEqual([])
  })

  it('is not told of where its person looks at the list', () => {
    stores.deviceList.setState({ kind: 'open', at: null }, true)
    learns(asking)
    expect(toasts()).toEqual([])
  })
})

describe('e8 a device that has let this one in', () => {
  const letsIn = () =>
    stores.trust.setState(
      (state) => reduceTrust(state, { type: 'in', device: PHONE, signs: outside.signs }),
      true,
    )

  it('is to be compared here too', () => {
    learns(outside)
    expect(toasts()).toEqual([])
    letsIn()
    expect(toasts()).toMatchObject([{ text: 'Compare the pictures with Desk', action: { label: 'Look' } }])
    looks()
    expect(stores.deviceList.getState()).toEqual({ kind: 'open', at: PHONE })
  })

  it('is not told of again when the page is loaded again', () => {
    const devices = { [PHONE]: { ...outside, isIn: true } }
    stores.trust.setState((state) => reduceTrust(state, { type: 'loaded', devices }), true)
    expect(toasts()).toEqual([])
  })
})
