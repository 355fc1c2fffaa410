/** What the tests of the links to other devices share: two devices, and connections that only remember. */
import { afterEach, beforeEach, vi } from 'vitest'
import type { Device, DeviceId, IceServer } from '../protocol/bindings'
import type { Channels } from './channel-link'
import type { ConnectionStats } from './connection-stats'
import type { OpenPeerLink, PeerLinkEvents } from './peer-link'
import { PeerLinks } from './peer-links'

export const ADA = 'ada' as DeviceId
export const BOB = 'bob' as DeviceId
export const device = (device_id: DeviceId, rtc = true): Device => ({
  device_id,
  name: '',
  caps: rtc ? ['files', 'rtc'] : ['files'],
})

export class Opened {
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

export let opened: Opened[]
export let sent: { to: DeviceId; message: unknown }[]
export let closes: DeviceId[]
export let taken: string[]
export let dropped: string[]
export let paths: [DeviceId, string][]
/** How many more times the library fails to load. */
let failures = 0

export function failsToLoad(times: number): void {
  failures = times
}

export function links(me: DeviceId): PeerLinks {
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
      takeChannels: (_device, _place, key) => taken.push(key),
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

export const settle = () => vi.advanceTimersByTimeAsync(0)
