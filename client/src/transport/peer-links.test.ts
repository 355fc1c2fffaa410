import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Device, DeviceId, IceServer } from '../protocol/bindings'
import type { Channels } from './channel-link'
import type { ConnectionStats } from './connection-stats'
import type { OpenPeerLink, PeerLinkEvents } from './peer-link'
import { ATTEMPT_LIMIT_MS, FURTHER_INTERVAL_MS, OFFER_INTERVAL_MS, PeerLinks } from './peer-links'

const ADA = 'ada' as DeviceId
const BOB = 'bob' as DeviceId
const device = (device_id: DeviceId, rtc = true): Device => ({
  device_id,
  name: '',
  caps: rtc ? ['files', 'rtc'] : ['files'],
})

class Opened {
  readonly signals: unknown[] = []
  readonly renewed: unknown[] = []
  readonly stats: ConnectionStats = { kind: 'host', protocol: 'udp', roundTrip: 1, wire: null, payload: null }
  closed = false

  constructor(
    readonly initiator: boolean,
    readonly iceServers: readonly IceServer[],
    readonly events: PeerLinkEvents,
  ) {}
}

let opened: Opened[]
let sent: { to: DeviceId; message: unknown }[]
let closes: DeviceId[]
let taken: string[]
let dropped: string[]
let paths: [DeviceId, string][]
/** How many more times the library fails to load. */
let failures: number

function links(me: DeviceId): PeerLinks {
  const open: OpenPeerLink = ({ initiator, iceServers, takeChannels }, events) => {
    const link = new Opened(initiator, iceServers, events)
    takeChannels({} as Channels)
    opened.push(link)
    return {
      signal: (signal) => link.signals.push(signal),
      renew: (servers) => link.renewed.push(servers),
      stats: async () => link.stats,
      close: () => {
        link.closed = true
      },
    }
  }
  let names = 0
  const made = new PeerLinks(
    async () => {
      if (failures-- > 0) throw new TypeError('Failed to fetch dynamically imported module')
      return open
    },
    () => `name ${++names}`,
    {
      sendSignal: (to, message) => sent.push({ to, message }),
      takeChannels: (_device, key) => taken.push(key),
      dropChannel: (_device, key) => dropped.push(key),
      onConnect: () => {},
      onPath: (device, via) => paths.push([device, via]),
      onClose: (gone) => closes.push(gone),
    },
  )
  made.welcome(me, [])
  return made
}

beforeEach(() => {
  vi.useFakeTimers()
  opened = []
  sent = []
  closes = []
  taken = []
  dropped = []
  paths = []
  failures = 0
})
afterEach(() => vi.useRealTimers())

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('l1 links', () => {
  it('are initiated by the device later in the list, and only by it', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ initiator }) => initiator)).toEqual([true])
    links(ADA).setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened).toHaveLength(1)
  })

  it('tell a change of their path, until they are replaced', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 'old', signal: { type: 'offer' } })
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    opened[0]?.events.onPath('turn')
    ada.handleSignal(BOB, { session: 'new', signal: { type: 'offer' } })
    opened[0]?.events.onPath('direct')
    expect(paths).toEqual([
      [BOB, 'direct'],
      [BOB, 'turn'],
    ])
  })

  it('s37 get new credentials, and so do those that are opened later', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    const servers = [{ urls: ['turn:a.example:3478'], username: '2:b', credential: 'new' }]
    bob.renew(servers)
    expect(opened[0]?.renewed).toEqual([servers])
    opened[0]?.events.onClose()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened[1]?.iceServers).toEqual(servers)
  })

  it('s37 that work get the credentials of a new welcome, and are rebuilt where they fail at it', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    const servers = [{ urls: ['turn:a.example:3478'], username: '2:b', credential: 'new' }]
    bob.welcome(BOB, servers)
    expect(opened[0]?.renewed).toEqual([servers])
    expect(opened).toHaveLength(1)
    vi.spyOn(opened[0]?.renewed as unknown[], 'push').mockImplementation(() => {
      throw new TypeError('The configuration cannot be changed')
    })
    bob.renew(servers)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
  })

  it('l6 are as many as the initiator wants, and each is rebuilt alone', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.setSize(ADA, 4)
    await settle()
    expect(opened).toHaveLength(4)
    for (const link of opened.slice(1)) link.events.onConnect('direct', 0)
    opened[2]?.events.onClose()
    expect(closes).toEqual([])
    await vi.advanceTimersByTimeAsync(FURTHER_INTERVAL_MS)
    expect(opened).toHaveLength(5)
    opened[4]?.events.onSignal('offer')
    expect(sent.at(-1)?.message).toMatchObject({ index: 2, signal: 'offer' })
    expect(opened.map(({ closed }) => closed)).toEqual([false, false, true, false, false])
  })

  it('l6 are as many as the other device wants, where it has to ask for them', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.setSize(BOB, 8)
    expect(sent).toEqual([{ to: BOB, message: { size: 8 } }])
    await settle()
    expect(opened).toHaveLength(1)
    bob.handleSignal(ADA, { size: 8 })
    await settle()
    expect(opened).toHaveLength(8)
    for (const size of [0, 17, 1.5, '4', null]) bob.handleSignal(ADA, { size })
    bob.handleSignal(ADA, { size: 2 })
    await settle()
    expect(opened).toHaveLength(8)
    expect(opened.filter(({ closed }) => !closed)).toHaveLength(2)
  })

  it('l6 say that their path has ended only when the last of them has', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    bob.setSize(ADA, 2)
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    opened[1]?.events.onConnect('direct', 0)
    opened[0]?.events.onClose()
    expect(closes).toEqual([])
    expect(paths.at(-1)).toEqual([ADA, 'direct'])
    opened[1]?.events.onClose()
    expect(closes).toEqual([ADA])
  })

  it('l6 take no place at TURN for further connections of a direct bundle', async () => {
    const bob = links(BOB)
    const stun = { urls: ['stun:a.example'] }
    bob.welcome(BOB, [stun, { urls: ['turn:a.example'], username: 'u', credential: 'c' }])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.setSize(ADA, 2)
    await settle()
    expect(opened[1]?.iceServers).toEqual([stun])
  })

  it('l6 are set up again and again no more than once in five seconds in each place, and in no place beyond', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (let i = 0; i < 100; i++) {
      for (const index of [1, 15, 16, -1, 0.5])
        ada.handleSignal(BOB, { session: `s${i}`, index, signal: { type: 'offer' } })
      await settle()
    }
    expect(opened).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(opened).toHaveLength(4)
  })

  it('l6 cost a device that changes its wish again and again one connection in five seconds in each place', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    for (let i = 0; i < 100; i++) for (const size of [16, 1]) bob.handleSignal(ADA, { size })
    bob.handleSignal(ADA, { size: 16 })
    await settle()
    expect(opened).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(FURTHER_INTERVAL_MS)
    expect(opened).toHaveLength(16)
    bob.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('l6 are asked for again by a device that does not initiate any more', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    bob.setSize(ADA, 3)
    await settle()
    for (const link of opened) link.events.onConnect('direct', 0)
    bob.setDevices([device(BOB), device(ADA)])
    expect(sent.at(-1)).toEqual({ to: ADA, message: { size: 3 } })
    expect(opened.filter(({ closed }) => closed)).toHaveLength(0)
  })

  it('l6 keep the one that works when a smaller bundle would have none', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    bob.setSize(ADA, 2)
    await settle()
    opened[1]?.events.onConnect('direct', 0)
    bob.setSize(ADA, 1)
    expect(opened.map(({ closed }) => closed)).toEqual([false, false])
  })

  it('l6 are at most four over TURN, and 48 further ones in all', async () => {
    const others = Array.from({ length: 10 }, (_, i) => `other ${i}` as DeviceId)
    const bob = links(BOB)
    bob.setDevices([...others, BOB].map((id) => device(id)))
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    for (const other of others) bob.setSize(other, 16)
    await settle()
    expect(opened).toHaveLength(10 + 48)
    expect(sent).toEqual([])
    bob.close()
    opened = []
    const ada = links(ADA)
    ada.setDevices([device(BOB), device(ADA)])
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    ada.setSize(BOB, 16)
    await settle()
    expect(opened).toHaveLength(4)
  })

  it('are not tried with a device that has no WebRTC', async () => {
    links(BOB).setDevices([device(ADA, false), device(BOB)])
    await settle()
    expect(opened).toHaveLength(0)
  })

  it('are opened by an offer, and get the signals that follow', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 's', signal: { type: 'offer', sdp: '…' } })
    ada.handleSignal(BOB, { session: 's', signal: { candidate: 1 } })
    await settle()
    expect(opened).toHaveLength(1)
    expect(opened[0]?.signals).toEqual([{ type: 'offer', sdp: '…' }, { candidate: 1 }])
  })

  it('are replaced by an offer of a new session; late signals of the old one are ignored', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 'old', signal: { type: 'offer' } })
    await settle()
    ada.handleSignal(BOB, { session: 'new', signal: { type: 'offer' } })
    await vi.advanceTimersByTimeAsync(OFFER_INTERVAL_MS)
    ada.handleSignal(BOB, { session: 'old', signal: { candidate: 1 } })
    opened[0]?.events.onClose()
    expect(opened.map(({ closed }) => closed)).toEqual([true, false])
    expect(opened[1]?.signals).toEqual([{ type: 'offer' }])
    expect(closes).toEqual([])
  })

  it('cost a device that offers again and again one connection a second, for its newest offer', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (let i = 0; i < 100; i++) {
      ada.handleSignal(BOB, { session: `s${i}`, signal: { type: 'offer', sdp: i } })
      ada.handleSignal(BOB, { session: `s${i}`, signal: { candidate: i } })
      await settle()
    }
    expect(opened).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(OFFER_INTERVAL_MS)
    expect(opened.map(({ signals }) => signals)).toEqual([
      [{ type: 'offer', sdp: 0 }, { candidate: 0 }],
      [{ type: 'offer', sdp: 99 }, { candidate: 99 }],
    ])
    ada.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('have names that the other device does not choose', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: `relay to ${BOB}`, signal: { type: 'offer' } })
    await settle()
    expect(taken).toEqual(['name 1'])
  })

  it('say that their channel ends when they do', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 's', signal: { type: 'offer' } })
    await settle()
    ada.close()
    expect(dropped).toEqual(taken)
  })

  it('are rebuilt by the initiator when they die', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onClose()
    expect(closes).toEqual([ADA])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
    opened[1]?.events.onSignal('offer 2')
    expect(sent.at(-1)).toEqual({ to: ADA, message: { session: 'name 3', index: 0, signal: 'offer 2' } })
  })

  it('live on when the server no longer lists the device', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.setDevices([device(BOB)])
    expect(opened[0]?.closed).toBe(false)
  })

  it('s25_end_when_the_device_is_removed_from_the_beam', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.remove([ADA])
    expect(opened.map(({ closed }) => closed)).toEqual([true])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(opened).toHaveLength(1)
  })

  it('are begun again when no answer comes in time', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await vi.advanceTimersByTimeAsync(ATTEMPT_LIMIT_MS)
    expect(opened[0]?.closed).toBe(true)
    expect(closes).toEqual([ADA])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
    opened[1]?.events.onConnect('direct', 0)
    await vi.advanceTimersByTimeAsync(10 * ATTEMPT_LIMIT_MS)
    expect(opened[1]?.closed).toBe(false)
  })

  it('are begun again at once over a new socket: what was signaled over the old one may be lost', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.welcome(BOB, [])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ closed }) => closed)).toEqual([true, false])
  })

  it('stay as they are over a new socket when they are connected', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.welcome(BOB, [])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ closed }) => closed)).toEqual([false])
  })

  it('are begun again when the other device comes back before they were connected', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.setDevices([device(BOB)])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ closed }) => closed)).toEqual([true, false])
  })

  it('s12_are_begun_again_when_the_server_cannot_pass_a_signal_on', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.unreachable(ADA)
    expect(opened[0]?.closed).toBe(true)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
    opened[1]?.events.onConnect('direct', 0)
    bob.unreachable(ADA)
    expect(opened[1]?.closed).toBe(false)
  })

  it('are begun again when the library could not be loaded', async () => {
    failures = 2
    links(BOB).setDevices([device(ADA), device(BOB)])
    await vi.advanceTimersByTimeAsync(1_000 + 2_000)
    expect(opened).toHaveLength(1)
  })

  it('leave no timer behind when the beam is left', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ignore messages that are not signals', () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (const message of [null, 'x', {}, { session: 1 }, { session: 's', signal: { candidate: 1 } }]) {
      ada.handleSignal(BOB, message)
    }
    expect(opened).toHaveLength(0)
  })
})

describe('l6 a device with little to spend', () => {
  const offers = (to: PeerLinks, index: number) =>
    to.handleSignal(BOB, { session: `s${index}`, index, signal: { type: 'offer' } })

  it('makes no more connections than it allows, whichever device wants more', async () => {
    const bob = links(BOB)
    bob.setMost(4)
    bob.setDevices([device(ADA), device(BOB)])
    bob.handleSignal(ADA, { size: 16 })
    await settle()
    expect(opened).toHaveLength(4)
    bob.setMost(16)
    await settle()
    expect(opened).toHaveLength(16)
  })

  it('ends the connections that are too many, and takes up no offer for their places', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (let index = 0; index < 6; index += 1) offers(ada, index)
    await settle()
    for (const { events } of opened) events.onConnect('direct', 0)
    ada.setMost(4)
    expect(opened.map(({ closed }) => closed)).toEqual([false, false, false, false, true, true])
    vi.advanceTimersByTime(FURTHER_INTERVAL_MS)
    ada.handleSignal(BOB, { session: 'later', index: 5, signal: { type: 'offer' } })
    await settle()
    expect(opened).toHaveLength(6)
  })
})

it('the path and the statistics of each open connection can be asked for', async () => {
  const bob = links(BOB)
  bob.setDevices([device(ADA), device(BOB)])
  await settle()
  expect(await bob.statsTo(ADA)).toEqual([])
  opened[0]?.events.onConnect('turn', 0)
  const [key = ''] = taken
  expect(bob.pathOf(ADA, key)).toBe('turn')
  expect(bob.pathOf(ADA, 'another')).toBeNull()
  expect(await bob.statsTo(ADA)).toEqual([{ key, stats: opened[0]?.stats }])
})
