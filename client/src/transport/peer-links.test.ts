import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Device, DeviceId } from '../protocol/bindings'
import type { OpenPeerLink, PeerLinkEvents } from './peer-link'
import { PeerLinks } from './peer-links'

const ADA = 'ada' as DeviceId
const BOB = 'bob' as DeviceId
const device = (device_id: DeviceId, rtc = true): Device => ({
  device_id,
  name: '',
  caps: rtc ? ['files', 'rtc'] : ['files'],
})

class Opened {
  readonly signals: unknown[] = []
  closed = false

  constructor(
    readonly initiator: boolean,
    readonly events: PeerLinkEvents,
  ) {}
}

let opened: Opened[]
let sent: { to: DeviceId; message: unknown }[]
let closes: DeviceId[]

function links(me: DeviceId): PeerLinks {
  const open: OpenPeerLink = ({ initiator }, events) => {
    const link = new Opened(initiator, events)
    opened.push(link)
    return {
      signal: (signal) => link.signals.push(signal),
      close: () => {
        link.closed = true
      },
    }
  }
  let sessions = 0
  const made = new PeerLinks(
    async () => open,
    () => `session ${++sessions}`,
    {
      sendSignal: (to, message) => sent.push({ to, message }),
      takeChannel: () => {},
      onConnect: () => {},
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
})
afterEach(() => vi.useRealTimers())

const settle = () => vi.advanceTimersByTimeAsync(0)

describe('l1 links', () => {
  it('are begun by the device that is later in the list, and only by it', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ initiator }) => initiator)).toEqual([true])
    links(ADA).setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened).toHaveLength(1)
  })

  it('are not tried with a device that has no WebRTC', async () => {
    links(BOB).setDevices([device(ADA, false), device(BOB)])
    await settle()
    expect(opened).toHaveLength(0)
  })

  it('are opened by an offer, and fed with what follows', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 's', signal: { type: 'offer', sdp: '…' } })
    ada.handleSignal(BOB, { session: 's', signal: { candidate: 1 } })
    await settle()
    expect(opened).toHaveLength(1)
    expect(opened[0]?.signals).toEqual([{ type: 'offer', sdp: '…' }, { candidate: 1 }])
  })

  it('are replaced by an offer of a new session; late news of the old one is ignored', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 'old', signal: { type: 'offer' } })
    await settle()
    ada.handleSignal(BOB, { session: 'new', signal: { type: 'offer' } })
    await settle()
    ada.handleSignal(BOB, { session: 'old', signal: { candidate: 1 } })
    opened[0]?.events.onClose()
    expect(opened.map(({ closed }) => closed)).toEqual([true, false])
    expect(opened[1]?.signals).toEqual([{ type: 'offer' }])
    expect(closes).toEqual([])
  })

  it('are built anew by the one that began, when they die', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onClose()
    expect(closes).toEqual([ADA])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
    opened[1]?.events.onSignal('offer 2')
    expect(sent.at(-1)).toEqual({ to: ADA, message: { session: 'session 2', signal: 'offer 2' } })
  })

  it('live on when the server no longer lists the device', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.setDevices([device(BOB)])
    expect(opened[0]?.closed).toBe(false)
  })

  it('are not harmed by signals that are none', () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (const message of [null, 'x', {}, { session: 1 }, { session: 's', signal: { candidate: 1 } }]) {
      ada.handleSignal(BOB, message)
    }
    expect(opened).toHaveLength(0)
  })
})
