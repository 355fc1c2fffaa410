/** What is told of a transfer in a report of a fault, in English: no names, no addresses, no content. */
import type { LinkRow } from '../../protocol/link-report'
import { averageSpeed, flowBytes, topSpeed } from '../../stores/flow'
import { bytesTwice, type CardFlow } from '../../stores/flows'
import { KINDS } from './link-label'

/** @param browser the browser's own description of itself */
export function bugReport(
  card: CardFlow,
  links: readonly LinkRow[],
  facts: { readonly isSending: boolean; readonly version: string; readonly browser: string },
): string {
  const { flow, way } = card
  const lines = [
    `Heliograph ${facts.version}, ${facts.browser}`,
    `${facts.isSending ? 'Sent' : 'Received'}: ${flowBytes(flow)} bytes in ${seconds(flow.moved - flow.began)}`,
    `Way: ${way ? `direct ${way.direct}, TURN ${way.turn}, server ${way.server ? 'yes' : 'no'}` : 'none yet'}`,
    `Speed: average ${rate(averageSpeed(flow))}, top ${rate(topSpeed(flow))}`,
    `More than once: ${bytesTwice(card)} bytes`,
    `Connections now: ${links.length}`,
    ...links.map((link, at) => `  ${at + 1}. ${line(link)}`),
  ]
  return lines.join('\n')
}

function line({ kind, protocol, rate: speed, roundTrip, bytes, overhead }: LinkRow): string {
  const trip = roundTrip === null ? '?' : `${Math.round(roundTrip)} ms`
  const over = overhead === null ? '?' : `${Math.round(overhead * 100)} %`
  const what = [kind ? KINDS[kind] : '?', protocol?.toUpperCase()].filter(Boolean).join(' ')
  return `${what}: ${rate(speed)}, round trip ${trip}, ${bytes ?? '?'} bytes, overhead ${over}`
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

function rate(bytesPerSecond: number | null): string {
  return bytesPerSecond === null ? '?' : `${Math.round(bytesPerSecond)} B/s`
}
