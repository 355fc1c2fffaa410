/** What the page's doctor finds: plain values, and the text for a bug report. */

/** What is looked at, in the order of the page. */
export const TRIALS = [
  'secure',
  'server',
  'clock',
  'websocket',
  'stun',
  'turn_udp',
  'turn_tcp',
  'turn_tls',
  'direct',
  'storage',
  'database',
  'worker',
  'camera',
  'clipboard',
  'address',
] as const

export type Trial = (typeof TRIALS)[number]

/** `warning`: it works, but not for everybody. `skipped`: it could not be looked at. */
export type Outcome = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Finding {
  readonly trial: Trial
  readonly outcome: Outcome
  /** A short word of the browser's, such as the name of an error. Never an address or an id. */
  readonly detail?: string | undefined
}

/** The detail of a server that does not answer. */
export const UNREACHABLE = 'unreachable'

/** Returns the findings as text: without ids, and without any address but the server's name. */
export function reportOf(
  findings: readonly Finding[],
  about: { readonly host: string; readonly version: string; readonly browser: string },
): string {
  const lines = findings.map(({ trial, outcome, detail }) =>
    [outcome.padEnd(8), trial, ...(detail ? [`(${detail})`] : [])].join(' '),
  )
  return [`Heliograph ${about.version} at ${about.host}`, about.browser, ...lines].join('\n')
}

/** How far the server's clock may be from this device's. Its credentials last an hour. */
const NEAR_MS = 60_000

/** Judges the server's clock by the time at which it was asked, and the time of its answer. */
export function clockOutcome(server: number, asked: number, answered: number): Outcome {
  const isNear = server > asked - NEAR_MS && server < answered + NEAR_MS
  return isNear ? 'ok' : 'failed'
}

/** The worst of all, while nothing is looked at any more. */
export function worst(findings: readonly Finding[]): Outcome {
  const has = (outcome: Outcome) => findings.some((finding) => finding.outcome === outcome)
  if (has('failed')) return 'failed'
  return has('warning') ? 'warning' : 'ok'
}
