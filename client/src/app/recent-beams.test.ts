// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest'
import type { BeamId, Device, DeviceId } from '../protocol/bindings'
import { MOST_RECENT, reduceRecentBeams } from '../stores/recent-beams'
import { createStores, type Stores } from '../stores/stores'
import { createRecentBeams, keepRecentBeams } from './recent-beams'

const id = (number: number) => `0b5a1c2e-9c1d-4f6a-8b3e-${String(number).padStart(12, '0')}` as BeamId
const session = (number: number, beamName = '') =>
  ({ beamId: id(number), beamKey: null, beamName, expiresAt: Date.now() + 1000 }) as const
const device = (name: string): Device => ({ device_id: name as DeviceId, name, caps: [] })

let stores: Stores

const open = () => {
  stores = createStores()
  keepRecentBeams(stores)
}
const recent = () => stores.recentBeams.getState().beams.map(({ beamId }) => beamId)
const enter = (number: number, ...devices: readonly string[]) => {
  stores.devices.setState({ devices: [] })
  stores.connection.setState({ status: 'live' }, true)
  stores.session.setState({ status: 'set', session: session(number) }, true)
  stores.devices.setState({ devices: devices.map(device) })
}

beforeEach(() => {
  localStorage.clear()
  open()
})

describe('recent beams', () => {
  it('are those in which something happened, the newest first, and outlive a reload', () => {
    enter(1, 'me', 'phone')
    enter(2, 'me')
    enter(3, 'me', 'phone')
    expect(recent()).toEqual([id(3), id(1)])
    open()
    expect(recent()).toEqual([id(3), id(1)])
    enter(1, 'me', 'phone')
    expect(recent()).toEqual([id(1), id(3)])
  })

  it('e1 remember after a reload that a beam is sealed, and the secret of its link only until then', () => {
    enter(1, 'me', 'phone')
    const invite = 'A'.repeat(43)
    stores.session.setState({ status: 'set', session: { ...session(1), isSealed: true, invite } }, true)
    expect(JSON.stringify({ ...localStorage })).not.toContain(invite)
    open()
    const [beam] = stores.recentBeams.getState().beams
    expect(beam).toMatchObject({ beamId: id(1), isSealed: true })
    expect(beam).not.toHaveProperty('invite')
  })

  it('are removed one by one, and all', () => {
    for (const number of [1, 2, 3]) enter(number, 'me', 'phone')
    const { forgetRecent } = createRecentBeams(stores)
    forgetRecent(id(2))
    expect(recent()).toEqual([id(3), id(1)])
    forgetRecent('all')
    open()
    expect(recent()).toEqual([])
  })

  it('do not contain a beam that has ended', () => {
    enter(1, 'me', 'phone')
    stores.connection.setState({ status: 'stopped', why: 'ended' }, true)
    expect(recent()).toEqual([])
    const over = { ...session(2), expiresAt: 5, at: 0 }
    const saved = { ...session(3), expiresAt: null, at: 0 }
    const loaded = reduceRecentBeams({ beams: [] }, { type: 'loaded', beams: [over, saved], now: 5 })
    expect(loaded.beams).toEqual([saved])
  })

  it('are at most twenty', () => {
    for (let number = 0; number <= MOST_RECENT; number += 1) enter(number, 'me', 'phone')
    expect(recent()).toHaveLength(MOST_RECENT)
    expect(recent()).not.toContain(id(0))
  })

  it('survive a text that cannot be read', () => {
    localStorage.setItem('recent', '[{"beam_id":5}]')
    open()
    expect(recent()).toEqual([])
  })
})
