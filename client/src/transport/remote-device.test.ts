import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES, type DeviceId, type ItemId } from '../protocol/bindings'
import { Receiver } from '../protocol/receiver'
import type { FrameLink } from './frame-link'
import { Link } from './link'
import type { Relay } from './relay-link'
import { type Arriving, RemoteDevice } from './remote-device'

const MIB = 1024 * 1024
const ROUND_TRIP_MS = 20
const RELAY: Relay = { use: 'fallback', isUp: true } as Relay

const receiver = new Receiver(500 * MIB)
const arriving: Arriving = {
  file: { id: 'film' as ItemId },
  receiver,
  isOpen: true,
  wanted: () => {},
}

/** A direct link in a place of the bundle, which carries nothing by itself. */
const linkAt = (place: number): Link => new Link({ key: `link ${place}`, kind: 'direct' } as FrameLink, place)

/** Ada, from whom a film comes over as many links as the bundle has grown to. */
function bundled(): { ada: RemoteDevice; links: readonly Link[]; now: number } {
  const ada = new RemoteDevice('ada' as DeviceId, RELAY)
  const links = [linkAt(0), linkAt(1), linkAt(2), linkAt(3)]
  for (const link of links) ada.opened(link)
  ada.scheduler.begin(arriving)
  let now = 0
  for (; ada.bundleSize === 1 && now < 5_000; now += ROUND_TRIP_MS) {
    for (const { key } of ada.routes(now)) wantsOn(ada, key, now)
    for (const { key } of ada.routes(now)) arrivesOn(ada, key, now + ROUND_TRIP_MS)
    ada.fitLinks(links.length, now + ROUND_TRIP_MS)
  }
  return { ada, links, now }
}

function wantsOn({ scheduler }: RemoteDevice, key: string, now: number): void {
  scheduler.meter(key).wanted(now)
  receiver.want(key, 4 * CHUNK_BYTES, MIB)
}

function arrivesOn({ scheduler }: RemoteDevice, key: string, now: number): void {
  for (let first = 0; receiver.waitingOn(key) > 0; first += 1) {
    const fresh = scheduler.arrived(arriving, key, first, CHUNK_BYTES, now)
    for (const range of fresh) receiver.wrote(range)
  }
}

const keysOf = (links: readonly Link[]) => links.map(({ key }) => key)

describe('l6 a bundle that is to have fewer connections', () => {
  it('has them until what is expected there has arrived, and wants nothing more there', () => {
    const { ada, links, now } = bundled()
    expect(ada.bundleSize).toBe(4)
    expect(keysOf(ada.routes(now))).toEqual(keysOf(links))
    for (const { key, clock } of links) {
      clock.touch(now)
      wantsOn(ada, key, now)
    }

    expect(ada.fitLinks(1, now)).toBe(4)
    expect(keysOf(ada.routes(now))).toEqual(['link 0'])
    for (const { key } of links.slice(1, 3)) arrivesOn(ada, key, now)
    expect(ada.fitLinks(1, now)).toBe(4)
    arrivesOn(ada, 'link 3', now)

    expect(ada.fitLinks(1, now)).toBe(1)
  })

  it('does not wait for connections on which nothing comes any more', () => {
    const { ada, links, now } = bundled()
    for (const { key, clock } of links) {
      clock.touch(now)
      wantsOn(ada, key, now)
    }
    expect(ada.fitLinks(1, now + 2_000)).toBe(4)
    expect(ada.fitLinks(1, now + 2_001)).toBe(1)
  })

  it('wants on what there is where the first connection is gone', () => {
    const { ada, links, now } = bundled()
    const [first, ...others] = links
    if (first) ada.closed(first)
    ada.fitLinks(1, now)
    expect(keysOf(ada.routes(now))).toEqual(keysOf(others))
  })
})
