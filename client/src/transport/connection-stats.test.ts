import { expect, it } from 'vitest'
import { type Report, readPath, readStats } from './connection-stats'

const local = {
  id: 'L',
  type: 'local-candidate',
  candidateType: 'host',
  protocol: 'udp',
  address: '192.0.2.2',
}
const remote = { id: 'R', type: 'remote-candidate', candidateType: 'srflx', protocol: 'udp' }
const pair = {
  id: 'P',
  type: 'candidate-pair',
  state: 'succeeded',
  nominated: true,
  localCandidateId: 'L',
  remoteCandidateId: 'R',
  currentRoundTripTime: 0.046,
  bytesSent: 10,
  bytesReceived: 200,
}
const transport = { id: 'T', type: 'transport', selectedCandidatePairId: 'P' }
const channel = { id: 'D', type: 'data-channel', bytesSent: 1, bytesReceived: 100 }

it('the kind of a link is that of the more roundabout end', () => {
  expect(readStats([local, remote, pair, transport])).toMatchObject({ kind: 'srflx', protocol: 'udp' })
})

it('a link over TURN tells by which protocol it reaches the server', () => {
  const relayed = { ...local, candidateType: 'relay', relayProtocol: 'tls' }
  const reports = [relayed, remote, pair, transport]
  expect(readStats(reports)).toMatchObject({ kind: 'relay', protocol: 'tls' })
  expect(readPath(reports)).toBe('turn')
})

it('bytes of earlier paths count too', () => {
  const earlier = { ...pair, id: 'P0', state: 'failed', bytesSent: 5, bytesReceived: 50 }
  const { wire, payload, roundTrip } = readStats([local, remote, pair, earlier, transport, channel])
  expect({ wire, payload, roundTrip }).toEqual({
    wire: { sent: 15, received: 250 },
    payload: { sent: 1, received: 100 },
    roundTrip: 46,
  })
})

it('what a browser does not tell is null', () => {
  const bare: Report = { id: 'P', type: 'candidate-pair', selected: true }
  expect(readStats([bare])).toEqual({
    kind: null,
    protocol: null,
    roundTrip: null,
    wire: null,
    payload: null,
  })
  expect(readStats([])).toEqual({ kind: null, protocol: null, roundTrip: null, wire: null, payload: null })
})

it('no address is read', () => {
  expect(JSON.stringify(readStats([local, remote, pair, transport, channel]))).not.toContain('192.0.2.2')
})
