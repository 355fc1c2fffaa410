import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { createTrustStore, reduceTrust, type Trust, type TrustState } from './trust'

const PHONE = 'phone' as DeviceId
const TABLET = 'tablet' as DeviceId
const compared: Trust = { signs: [1, 2, 3, 4], state: 'unverified', isIn: true }

const told = (state: TrustState, ...devices: DeviceId[]) => reduceTrust(state, { type: 'told', devices })

describe('e8 devices of which others tell that nobody has compared them', () => {
  const nobody = createTrustStore().getState()

  it('are not verified, and show nothing to compare here', () => {
    expect(told(nobody, PHONE).devices).toEqual({ phone: { signs: [], state: 'unverified', isIn: true } })
  })

  it('are not verified as long as others tell it', () => {
    const both = told(told(nobody, PHONE), PHONE, TABLET)
    expect(Object.keys(both.devices)).toEqual([PHONE, TABLET])
    expect(Object.keys(told(both, TABLET).devices)).toEqual([TABLET])
    expect(told(both, PHONE, TABLET)).toBe(both)
  })

  it('are what this device knows of them, where a person here has compared them', () => {
    const own = reduceTrust(nobody, { type: 'learnt', device: PHONE, trust: compared })
    expect(told(own, PHONE).devices[PHONE]).toBe(compared)
    const confirmed = reduceTrust(own, { type: 'confirmed', device: PHONE, signs: compared.signs })
    expect(told(confirmed, PHONE).devices[PHONE]).toEqual({ ...compared, state: 'verified' })
    expect(told(confirmed).devices[PHONE]).toEqual({ ...compared, state: 'verified' })
  })

  it('are in, where the person here has refused them, and not before', () => {
    const trust: Trust = { signs: [], state: 'refused', isIn: false }
    const refused = reduceTrust(nobody, { type: 'learnt', device: PHONE, trust })
    expect(told(refused)).toBe(refused)
    expect(told(refused, PHONE).devices[PHONE]).toMatchObject({ state: 'unverified', isIn: true })
  })

  it('stay in, where the person here refuses what they ask later', () => {
    const asking = reduceTrust(nobody, {
      type: 'learnt',
      device: PHONE,
      trust: { ...compared, state: 'asking' },
    })
    const refused: Trust = { signs: [], state: 'refused', isIn: false }
    expect(reduceTrust(asking, { type: 'learnt', device: PHONE, trust: refused }).devices[PHONE]).toEqual(
      compared,
    )
  })
})

it('e8_a_tap_confirms_the_pictures_that_were_shown_and_no_others', () => {
  const device = 'phone' as DeviceId
  const trust = { signs: [0, 1, 2, 3], state: 'unverified', isIn: true } as const
  const shown = reduceTrust(createTrustStore().getState(), { type: 'learnt', device, trust })
  const confirmed = (...signs: readonly number[]) => reduceTrust(shown, { type: 'confirmed', device, signs })
  expect(confirmed(0, 1, 2, 4).devices[device]?.state).toBe('unverified')
  expect(confirmed(0, 1, 2, 3).devices[device]?.state).toBe('verified')
})
