// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { DeviceId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { reduceTrust, type Trust, type TurnedAway } from '../../stores/trust'
import { type Actions, AppContext } from '../actions'
import { formatUntil } from '../session/until'
import { NotLetIn } from './not-let-in'

const LAPTOP = 'laptop' as DeviceId
const PHONE = 'phone' as DeviceId
const UNTIL = Date.now() + 600_000

afterEach(cleanup)

/** What a person reads whose device has come without the link, and these have turned it away. */
function shown(turnedAway: Record<DeviceId, TurnedAway>, compared: Record<DeviceId, Trust> = {}): string {
  const stores = createStores()
  stores.encryption.setState({ kind: 'locked', isSuspected: true, mayShareClear: false }, true)
  const devices = [LAPTOP, PHONE].map((device_id) => ({ device_id, name: device_id, caps: [] }))
  stores.devices.setState({ devices })
  stores.trust.setState({ devices: compared })
  for (const [device, why] of Object.entries(turnedAway))
    stores.trust.setState(
      (state) => reduceTrust(state, { type: 'turnedAway', device: device as DeviceId, why }),
      true,
    )
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <NotLetIn />
    </AppContext>,
  )
  return screen.getByRole('status').textContent ?? ''
}

it('e8_a_device_that_a_person_refused_is_told_so_and_what_its_own_person_can_do', () => {
  const text = shown({ [LAPTOP]: { why: 'person' } })
  expect(text).toContain('refused to let this one in')
  expect(text).toContain('reload this page')
})

it('e8_a_device_that_has_tried_too_often_is_told_when_it_asks_again', () => {
  const text = shown({ [LAPTOP]: { why: 'locked', until: UNTIL } })
  expect(text).toContain(`asks again at ${formatUntil(UNTIL, Date.now())}`)
})

it('e8_what_a_person_said_counts_before_what_a_device_did', () => {
  expect(shown({ [LAPTOP]: { why: 'locked', until: UNTIL }, [PHONE]: { why: 'person' } })).toContain(
    'refused to let this one in',
  )
})

it('e8_who_was_refused_on_one_device_is_still_compared_on_another', () => {
  const waits: Trust = { signs: [1, 2, 3, 4], state: 'unverified', isIn: false }
  const text = shown({ [LAPTOP]: { why: 'person' } }, { [PHONE]: waits })
  expect(text).toContain('Compare these pictures with those')
  expect(text).toContain('A person there lets this one in')
})

it('e8_a_device_that_nobody_has_answered_is_told_how_it_gets_in', () => {
  expect(shown({})).toContain('while another of its devices is online')
})
