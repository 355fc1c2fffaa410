// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest'
import type { SavedBeam } from '../protocol/bindings'
import { createStores } from '../stores/stores'
import type { EngineCommand } from '../transport/engine-messages'
import { createPassingOn, keepPassingOn } from './passing-on'

afterEach(() => localStorage.clear())

function device() {
  const stores = createStores()
  const told: EngineCommand[] = []
  keepPassingOn(stores, { tell: (command) => told.push(command) })
  const plugged = { savesData: false, isCharging: true, isTouched: true }
  stores.power.setState(plugged, true)
  const isAllowed = () => told.at(-1)?.do === 'passOn' && (told.at(-1) as { isAllowed: boolean }).isAllowed
  return { stores, isAllowed, plugged }
}

it('f21_what_is_received_is_passed_on_until_the_person_does_not_want_it_also_in_a_later_page', () => {
  const { stores, isAllowed } = device()
  expect(isAllowed()).toBe(true)
  createPassingOn(stores)(false)
  expect(isAllowed()).toBe(false)
  const later = device()
  expect(later.isAllowed()).toBe(false)
  createPassingOn(later.stores)(true)
  expect(later.isAllowed()).toBe(true)
  expect(device().isAllowed()).toBe(true)
})

it('f21_nothing_is_passed_on_while_the_device_runs_on_its_battery_or_saves_data', () => {
  const { stores, isAllowed, plugged } = device()
  stores.power.setState({ ...plugged, isCharging: false }, true)
  expect(isAllowed()).toBe(false)
  stores.power.setState(plugged, true)
  expect(isAllowed()).toBe(true)
  stores.power.setState({ ...plugged, savesData: true }, true)
  expect(isAllowed()).toBe(false)
  // A phone that says nothing of its battery runs on it; a desktop does not.
  stores.power.setState({ savesData: false, isCharging: null, isTouched: true }, true)
  expect(isAllowed()).toBe(false)
  stores.power.setState({ savesData: false, isCharging: null, isTouched: false }, true)
  expect(isAllowed()).toBe(true)
})

it('s24_a_device_that_may_only_read_passes_nothing_on', () => {
  const { stores, isAllowed } = device()
  const saved = { role: 'read', by_link: false } as SavedBeam
  stores.access.setState({ kind: 'saved', saved }, true)
  expect(isAllowed()).toBe(false)
  stores.access.setState({ kind: 'saved', saved: { ...saved, role: 'write' } }, true)
  expect(isAllowed()).toBe(true)
})
