/** The transferred size of the JavaScript for the first page of a desktop. */

import { Device } from '../support/device.ts'
import type { Server } from '../support/server.ts'
import type { Row } from './table.ts'
import { DESKTOP_CHROMIUM, withBrowser } from './two-browsers.ts'

const KB = 1000

export async function measureFirstPage(server: Server): Promise<Row> {
  const bytes = await withBrowser(async ({ page }) => {
    let scripts = 0
    const sizes: Promise<void>[] = []
    page.on('requestfinished', (request) => {
      const isScript = request.resourceType() === 'script' || new URL(request.url()).pathname.endsWith('.js')
      if (!isScript) return
      sizes.push(
        request.sizes().then(({ responseBodySize }) => {
          scripts += responseBodySize
        }),
      )
    })
    const ada = new Device('Ada', page, server.origin, DESKTOP_CHROMIUM)
    await ada.startsBeam()
    await page.waitForLoadState('networkidle')
    await Promise.all(sizes)
    return scripts
  })
  return {
    figure: 'JavaScript of the first page, compressed',
    product: `${(bytes / KB).toFixed(1)} kB`,
    reference: '',
    value: bytes / KB,
    target: { atMost: 150 },
  }
}
