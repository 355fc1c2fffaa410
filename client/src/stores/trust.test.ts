import { expect, it } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { createTrustStore, reduceTrust } from './trust'

it('e8_a_tap_confirms_the_pictures_that_were_shown_and_no_others', () => {
  const device = 'phone' as DeviceId
  const trust = { signs: [0, 1, 2, 3], state: 'unverified', isIn: true } as const
  const shown = reduceTrust(createTrustStore().getState(), { type: 'learnt', device, trust })
  const confirmed = (...signs: readonly number[]) => reduceTrust(shown, { type: 'confirmed', device, signs })
  expect(confirmed(0, 1, 2, 4).devices[device]?.state).toBe('unverified')
  expect(confirmed(0, 1, 2, 3).devices[device]?.state).toBe('verified')
})
