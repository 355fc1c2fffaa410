import { expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import type { LinkRow } from '../../protocol/link-report'
import { type FlowsState, reduceFlows } from '../../stores/flows'
import { bugReport } from './bug-report'

const FILE = 'file' as ItemId
const ADA = 'ada' as DeviceId

const moved = { type: 'moved', card: FILE, file: FILE, device: ADA } as const
const way = { direct: 2, turn: 0, server: true }
/** A megabyte a second for four seconds. */
const done = [...Array(16).keys()].reduce<FlowsState>((state, tick) => {
  const now = 250 * (tick + 1)
  return reduceFlows(state, { ...moved, bytes: 1_000 * now, twice: 16_384, way, now })
}, {})

const link: LinkRow = {
  key: 'secret key',
  kind: 'srflx',
  protocol: 'udp',
  roundTrip: 45.6,
  wire: { sent: 0, received: 2_140_000 },
  payload: { sent: 0, received: 2_000_000 },
  rate: 500_000.4,
  bytes: 2_000_000,
  overhead: 0.07,
}
const server: LinkRow = { ...link, key: 'x', kind: 'server', protocol: null, roundTrip: null, overhead: null }

it('a report of a fault tells the transfer and each link, and no key', () => {
  const card = done[FILE]?.[ADA]
  if (!card) throw new Error('nothing moved')
  const text = bugReport(card, [link, server], { isSending: false, version: '1.2', browser: 'Browser 3' })
  expect(text).not.toContain(link.key)
  expect(JSON.parse(text)).toMatchObject({
    heliograph: '1.2',
    browser: 'Browser 3',
    role: 'receiver',
    bytes: 4_000_000,
    twice: 16_384,
    took: 4_000,
    average: 1_000_000,
    top: 1_000_000,
    way,
    links: [
      { kind: 'srflx', protocol: 'udp', rate: 500_000, roundTrip: 46, overhead: 0.07 },
      { kind: 'server', roundTrip: null, overhead: null },
    ],
  })
})
