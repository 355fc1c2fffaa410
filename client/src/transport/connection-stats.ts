/** Reads the reports of `RTCPeerConnection.getStats()` (W3C "Identifiers for WebRTC's Statistics API"). No addresses. */
import type { LinkFacts, LinkProtocol } from '../protocol/link-report'

/** How the packets of a connection travel: from device to device, or over a TURN server at either end. */
export type PeerPath = 'direct' | 'turn'

/** One entry of the reports. Its members depend on its `type` and on the browser. */
export type Report = Readonly<Record<string, unknown>>

export type ConnectionStats = LinkFacts

/** The kinds of candidates, the most roundabout one first. */
const KINDS = ['relay', 'srflx', 'prflx', 'host'] as const

/** Returns the path of the pair of candidates in use; null while none is. Over TURN when either end is relayed. */
export function readPath(reports: readonly Report[]): PeerPath | null {
  const pairs = pairsInUse(reports)
  if (pairs.length === 0) return null
  return pairs.some((pair) => kindOf(pair, reports) === 'relay') ? 'turn' : 'direct'
}

/** Returns what the browser tells of a connection. What it does not tell is null. */
export function readStats(reports: readonly Report[]): ConnectionStats {
  const [pair] = pairsInUse(reports)
  const roundTrip = numberOf(pair?.currentRoundTripTime)
  return {
    kind: pair ? kindOf(pair, reports) : null,
    protocol: pair ? protocolOf(pair, reports) : null,
    roundTrip: roundTrip === null ? null : roundTrip * 1000,
    wire: sumOf(reports, 'candidate-pair'),
    payload: sumOf(reports, 'data-channel'),
  }
}

/** Chromium names the pair in the report of the transport, Firefox marks it. Pairs of earlier paths stay in the list. */
function pairsInUse(reports: readonly Report[]): readonly Report[] {
  const pairs = reports.filter(({ type }) => type === 'candidate-pair')
  const selected = new Set(reports.map(({ selectedCandidatePairId }) => selectedCandidatePairId))
  const inUse = pairs.filter(({ id, selected: isSelected }) => isSelected === true || selected.has(id))
  return inUse.length > 0 ? inUse : pairs.filter(({ state, nominated }) => state === 'succeeded' && nominated)
}

/** Of both ends, the kind that is the more roundabout. */
function kindOf(pair: Report, reports: readonly Report[]): ConnectionStats['kind'] {
  const ends = [pair.localCandidateId, pair.remoteCandidateId].map((id) => candidate(id, reports))
  return KINDS.find((kind) => ends.some((end) => end?.candidateType === kind)) ?? null
}

/** The protocol of the packets; of those to our own TURN server, the protocol to it. */
function protocolOf(pair: Report, reports: readonly Report[]): LinkProtocol | null {
  const local = candidate(pair.localCandidateId, reports)
  const told = local?.candidateType === 'relay' ? local.relayProtocol : local?.protocol
  return told === 'udp' || told === 'tcp' || told === 'tls' ? told : null
}

function candidate(id: unknown, reports: readonly Report[]): Report | undefined {
  return reports.find((report) => report.id === id)
}

/** Sums up both directions over all reports of a type, those of earlier paths too; null where the browser tells none. */
function sumOf(reports: readonly Report[], type: string): LinkFacts['wire'] {
  const told = reports.filter((report) => report.type === type && numberOf(report.bytesSent) !== null)
  if (told.length === 0) return null
  const sum = (name: 'bytesSent' | 'bytesReceived') =>
    told.reduce((bytes, report) => bytes + (numberOf(report[name]) ?? 0), 0)
  return { sent: sum('bytesSent'), received: sum('bytesReceived') }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
