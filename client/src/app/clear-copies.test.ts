import { expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { copyId } from '../protocol/clear-copy'
import { pendingItem } from '../protocol/item'
import { reduceDevices } from '../stores/devices'
import { createStores } from '../stores/stores'
import { createClearCopiesChoice } from './clear-copies'
import { ADA, BEAM, BOB, EVE, ITEM, OTHER } from './sealed-beam-stage'

it('e12_a_device_that_is_sent_nothing_more_is_offered_no_file_in_clear_text_any_more', () => {
  const stores = createStores()
  const session = { beamId: BEAM, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  stores.devices.setState((state) => reduceDevices(state, { type: 'welcomed', me: ADA }), true)
  const forBob = '03234567-89ab-4cde-8f01-23456789abcd' as ItemId
  const shared = (id: ItemId, to?: DeviceId) => pendingItem(id, 'a file', 'file', 0, to)
  stores.items.setState({ items: [shared(ITEM), shared(OTHER, EVE), shared(forBob, BOB)] })
  const copyFor = (device: DeviceId) => copyId(ITEM, ADA, device)
  const offered = new Set([ITEM, OTHER, forBob, copyFor(BOB), copyFor(EVE)])
  const tell = vi.fn()
  const transfers = { offered: (id: ItemId) => (offered.has(id) ? new Blob() : null), tell }
  const { sendInClear } = createClearCopiesChoice(stores, transfers)

  sendInClear(BOB, true)
  expect(tell).not.toHaveBeenCalled()

  sendInClear(BOB, false)
  const told = (what: string) => tell.mock.calls.flatMap(([{ do: is, ...of }]) => (is === what ? [of] : []))
  expect(told('forget')).toEqual([{ id: copyFor(BOB) }, { id: forBob }])
  expect(told('cancel')).toEqual([
    { id: copyFor(BOB), device: BOB },
    { id: forBob, device: BOB },
  ])
  expect(stores.clearCopies.getState().to.size).toBe(0)
})
