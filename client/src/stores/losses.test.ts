import { describe, expect, it } from 'vitest'
import type { Cap, Device, DeviceId, ItemId } from '../protocol/bindings'
import { fileItemMessage, type Item, liveItem, pendingItem } from '../protocol/item'
import { DIRECT } from '../protocol/way'
import { type BeamNow, lossesOf } from './losses'
import { createStores } from './stores'

const ITEM = 'a' as ItemId
const device = (id: string, caps: readonly Cap[] = []): Device => ({
  device_id: id as DeviceId,
  name: id,
  caps: [...caps],
})
const text = liveItem({ id: ITEM, seq: 1, from: 'me' as DeviceId, at: 0, message: 'hi', extra: 'text' }, null)

/** A beam of two devices, connected and unsaved, with these items. */
function beam(items: readonly Item[], change: Partial<BeamNow> = {}): BeamNow {
  const stores = createStores()
  return {
    items: { ...stores.items.getState(), items },
    transfers: stores.transfers.getState(),
    connection: { status: 'live' },
    devices: { ...stores.devices.getState(), me: 'me' as DeviceId, devices: [device('me'), device('phone')] },
    access: { kind: 'unsaved', creator: true },
    keeping: stores.keeping.getState(),
    encryption: { kind: 'off' },
    trust: stores.trust.getState(),
    clearCopies: stores.clearCopies.getState(),
    waitingEdits: stores.waitingEdits.getState(),
    ...change,
  }
}

const alone = { devices: { ...beam([]).devices, devices: [device('me')] } }

describe('leaving a beam loses', () => {
  it('nothing while another device has its items, nor in an empty or saved one', () => {
    expect(lossesOf(beam([text]))).toEqual([])
    expect(lossesOf(beam([], alone))).toEqual([])
    const saved = { beam_name: '', role: 'owner', link_access: 'write', by_link: false } as const
    expect(lossesOf(beam([text], { ...alone, access: { kind: 'saved', saved } }))).toEqual([])
  })

  it('the items of an unsaved beam in which nobody else is', () =>
    expect(lossesOf(beam([text], alone))).toEqual(['items']))

  it('the items of a sealed one that nobody else who is here can read', () => {
    const encryption = { kind: 'sealed', isDeposited: false } as const
    const here = (phone: Device) => ({
      encryption,
      devices: { ...beam([]).devices, devices: [device('me', ['e2e1']), phone] },
    })
    const sealing = here(device('phone', ['e2e1']))
    const asks = { signs: [1, 2, 3, 4], state: 'asking', isIn: false } as const
    const trust = { devices: { ['phone' as DeviceId]: asks } }
    expect(lossesOf(beam([text], sealing))).toEqual([])
    expect(lossesOf(beam([text], { ...sealing, trust }))).toEqual(['unread'])
    const refused = { devices: { ['phone' as DeviceId]: { ...asks, state: 'refused' as const } } }
    expect(lossesOf(beam([text], { ...sealing, trust: refused }))).toEqual(['unread'])
    const plain = here(device('phone'))
    expect(lossesOf(beam([text], plain))).toEqual(['unread'])
    const clearCopies = { to: new Set(['phone' as DeviceId]) }
    expect(lossesOf(beam([text], { ...plain, clearCopies }))).toEqual([])
    expect(lossesOf(beam([], { ...sealing, trust }))).toEqual([])
    expect(lossesOf(beam([text], { ...sealing, trust, ...alone }))).toEqual(['items'])
  })

  it('nothing of a kept one but what is for one device only', () => {
    const kept = { until: 1, by: 'me' as DeviceId }
    const keeping = { ...beam([]).keeping, kept }
    expect(lossesOf(beam([text], { ...alone, keeping }))).toEqual([])
    const forOne = { ...text, to: 'phone' as DeviceId }
    expect(lossesOf(beam([text, forOne], { ...alone, keeping }))).toEqual(['addressed'])
    expect(lossesOf(beam([forOne], { keeping }))).toEqual([])
  })

  it('what the server does not have yet, an item or a change of one', () => {
    expect(lossesOf(beam([pendingItem(ITEM, 'hi', 'text', 0)]))).toEqual(['unsent'])
    expect(lossesOf(beam([{ ...text, isChanged: true }]))).toEqual(['unsent'])
    expect(lossesOf(beam([{ ...text, isChanged: true, refusal: 'No.' }]))).toEqual([])
    expect(lossesOf(beam([text], { waitingEdits: { count: 1 } }))).toEqual(['unsent'])
  })

  it('a transfer that runs, and a file that only this page has', () => {
    const { message, extra } = fileItemMessage({ name: 'a', size: 3, type: '' })
    const file = liveItem({ id: ITEM, seq: 1, from: 'me' as DeviceId, at: 0, message, extra }, null)
    const state = { status: 'moving', sent: 1, bytesPerSecond: 1, way: DIRECT } as const
    const transfers = {
      beams: 0,
      held: new Set<ItemId>(),
      parts: new Set<ItemId>(),
      transfers: { [ITEM]: { role: 'sending', to: { phone: state }, url: 'blob:a' } as const },
    }
    expect(lossesOf(beam([file], { transfers }))).toEqual(['transfer', 'file'])
  })

  it('nothing of a beam that has ended', () =>
    expect(lossesOf(beam([text], { ...alone, connection: { status: 'stopped', why: 'ended' } }))).toEqual([]))
})
