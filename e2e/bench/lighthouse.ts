/** Lighthouse's scores of the home page, in the same Chromium as the other figures. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { freePort, type Server } from '../support/server.ts'
import { withFreshBrowser } from './fresh-pages.ts'
import type { Row } from './table.ts'

/** Installed on demand, because it is four times as large as everything else that the tests need. */
const LIGHTHOUSE = 'lighthouse@13.5.0'
const MAX_REPORT_BYTES = 64_000_000

type Category = 'accessibility' | 'best-practices'

interface Report {
  readonly categories: Readonly<
    Record<string, { readonly score: number | null; readonly auditRefs: readonly AuditRef[] }>
  >
  readonly audits: Readonly<Record<string, { readonly title: string; readonly score: number | null }>>
}

interface AuditRef {
  readonly id: string
  readonly weight: number
}

export const measureAccessibility = (server: Server) => measure(server, 'accessibility', 100)
export const measureBestPractices = (server: Server) => measure(server, 'best-practices', 95)

async function measure(server: Server, category: Category, atLeast: number): Promise<Row> {
  const report = await reportOf(server.origin, category)
  const found = report.categories[category]
  const value = 100 * (found?.score ?? 0)
  return {
    figure: `Lighthouse, ${category}`,
    product: value.toFixed(0),
    reference: '',
    value,
    target: { atLeast },
    // The failed audits are named, so that a lower score can be explained.
    ...(value < 100 && found ? { notes: failedAudits(report, found.auditRefs) } : {}),
  }
}

/** Runs Lighthouse by its command line, the only interface that stays stable. */
async function reportOf(address: string, category: Category): Promise<Report> {
  const port = await freePort()
  return await withFreshBrowser(async () => {
    const { stdout } = await promisify(execFile)(
      'npx',
      [
        '--yes',
        LIGHTHOUSE,
        address,
        `--port=${port}`,
        `--only-categories=${category}`,
        '--preset=desktop',
        '--output=json',
        '--quiet',
      ],
      { maxBuffer: MAX_REPORT_BYTES },
    )
    return JSON.parse(stdout) as Report
  }, [`--remote-debugging-port=${port}`])
}

function failedAudits({ audits }: Report, refs: readonly AuditRef[]): string[] {
  return refs
    .filter(({ weight }) => weight > 0)
    .flatMap(({ id }) => {
      const audit = audits[id]
      return audit && audit.score !== null && audit.score < 1 ? [`${id}: ${audit.title}`] : []
    })
}
