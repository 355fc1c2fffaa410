/** What is told of a transfer in a report of a fault, in English: no names, no addresses, no content. */
import type { LinkRow } from '../../protocol/link-report'
import { averageSpeed, flowBytes, topSpeed } from '../../stores/flow'
import { bytesTwice, type CardFlow } from '../../stores/flows'

interface ReportFacts {
  readonly isSending: boolean
  /** Of the server, which the client came from. */
  readonly version: string
  /** The browser's own description of itself. */
  readonly browser: string
}

/** Returns JSON. Times are milliseconds and speeds bytes a second; null is what is not known. */
export function bugReport(card: CardFlow, links: readonly LinkRow[], facts: ReportFacts): string {
  const { flow, way } = card
  const report = {
    heliograph: facts.version,
    browser: facts.browser,
    role: facts.isSending ? 'sender' : 'receiver',
    bytes: flowBytes(flow),
    twice: bytesTwice(card),
    took: Math.round(flow.moved - flow.began),
    average: whole(averageSpeed(flow)),
    top: whole(topSpeed(flow)),
    way,
    // The key of a link is a name that only this device knows.
    links: links.map(({ key: _key, rate, roundTrip, ...told }) => ({
      ...told,
      rate: whole(rate),
      roundTrip: whole(roundTrip),
    })),
  }
  return JSON.stringify(report, null, 2)
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}
