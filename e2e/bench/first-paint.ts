/** Largest Contentful Paint of the first page on a slow device. */
import type { Server } from '../support/server.ts'
import { withFreshBrowser, withFreshPage } from './fresh-pages.ts'
import { median, type Row } from './table.ts'

const TIMES = 5
/** The device is this many times slower than the machine. */
const SLOWDOWN = 4

export async function measureFirstPaint(server: Server): Promise<Row> {
  const times = await withFreshBrowser(async (browser) => {
    const all: number[] = []
    for (let run = 0; run < TIMES; run += 1) {
      all.push(
        await withFreshPage(browser, async (page) => {
          const session = await page.context().newCDPSession(page)
          await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
          await page.goto(server.origin)
          await page.getByRole('img', { name: 'QR code of this beam' }).waitFor()
          await page.waitForLoadState('networkidle')
          return await page.evaluate(largestPaint)
        }),
      )
    }
    return all
  })
  const seconds = median(times) / 1000
  return {
    figure: `largest contentful paint of home, CPU ${SLOWDOWN}x slower`,
    product: `${seconds.toFixed(2)} s`,
    reference: '',
    value: seconds,
    target: { atMost: 2.5 },
  }
}

/** Milliseconds from the navigation to the latest largest paint. Runs in the page. */
async function largestPaint(): Promise<number> {
  return await new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? Number.NaN)).observe({
      type: 'largest-contentful-paint',
      buffered: true,
    })
  })
}
