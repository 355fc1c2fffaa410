// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId, Device, DeviceId } from '../protocol/bindings'
import { MOST_RECENT, reduceRecentBeams } from '../stores/recent-beams'
import { createStores, type Stores } from '../stores/stores'
import { createRecentBeams, keepRecentBeams } from './recent-beams'

const id = (number: number) => `0b5a1c2e-9c1d-4f6a-8b3e-${String(number).padStart(12, '0')}` as BeamId
const session = (number: number, beamName = '') =>
  ({ beamId: id(number), beamKey: null, beamName, expiresAt: Date.now() + 1000 }) as const
const device = (name: string): Device => ({ device_id: name as DeviceId, name, caps: [] })

let stores: Stores
/** The beams of which nothing is left in this browser. */
let gone: readonly BeamId[]
/** Those in which another tab is. */
let elsewhere: readonly BeamId[]
const removes = async (beam: BeamId) => {
  if (elsewhere.includes(beam)) return false
  gone = [...gone, beam]
  return true
}

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
  gone = []
  elsewhere = []
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

  const toaster = { info: vi.fn() }
  const forgets = (which: BeamId | 'all') => createRecentBeams(stores, toaster, removes).forgetRecent(which)

  it('e1 are removed one by one, or all but the one that this page is in, and nothing is left of them', async () => {
    for (const number of [1, 2, 3, 4]) enter(number, 'me', 'phone')
    await forgets(id(2))
    expect([recent(), gone]).toEqual([[id(4), id(3), id(1)], [id(2)]])
    await forgets('all')
    open()
    expect([recent(), gone]).toEqual([[id(4)], [id(2), id(3), id(1)]])
    expect(toaster.info).not.toHaveBeenCalled()
  })

  it('e1 stay where another tab is in them, and where something of them may be left', async () => {
    for (const number of [1, 2, 3]) enter(number, 'me', 'phone')
    elsewhere = [id(2)]
    await forgets('all')
    expect([recent(), gone]).toEqual([[id(3), id(2)], [id(1)]])
    expect(toaster.info).toHaveBeenCalledOnce()
    const fails = async () => Promise.reject(new Error('The keys cannot be reached.'))
    await createRecentBeams(stores, toaster, fails).forgetRecent('all')
    expect(recent()).toEqual([id(3), id(2)])
  })

  it('e1 go from the list after the time that was told last, and what is here of them stays: it may be longer by now', () => {
    for (const number of [1, 2]) enter(number, 'me', 'phone')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 })
    open()
    expect([recent(), gone]).toEqual([[], []])
    vi.useRealTimers()
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
