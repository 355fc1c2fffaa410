/** Time from opening a link in a second browser until the first item is on its screen, compared with a bare page. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import type { Server } from '../support/server.ts'
import { withFreshBrowser, withFreshPage } from './fresh-pages.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, withBrowser } from './two-browsers.ts'

const TIMES = 20
export const ITEM = 'the first item'

declare global {
  interface Window {
    heliographFirstItem?: Promise<number>
  }
}

export async function measureJoining(server: Server): Promise<Row> {
  const { product, bare } = await withBrowser(async ({ page }) => {
    const ada = new Device('Ada', page, server.origin, DESKTOP_CHROMIUM)
    const link = await ada.startsBeam()
    await ada.sharesText(ITEM)
    await ada.sees(ITEM)
    return await withBarePage((bareLink) => inTurns(link, bareLink))
  })
  return {
    figure: 'a link opened, to the first item on the screen',
    product: `${median(product).toFixed(0)} ms`,
    reference: `${median(bare).toFixed(0)} ms`,
    value: median(product),
    target: { atMost: 500 },
  }
}

async function inTurns(link: string, bareLink: string): Promise<{ product: number[]; bare: number[] }> {
  return await withFreshBrowser(async (browser) => {
    const times = { product: [] as number[], bare: [] as number[] }
    for (let run = 0; run < TIMES; run += 1) {
      times.product.push(await withFreshPage(browser, (page) => untilFirstItem(page, link)))
      times.bare.push(await withFreshPage(browser, (page) => untilFirstItem(page, bareLink)))
    }
    return times
  })
}

/** The smallest page that fetches an item and shows it. */
const BARE_PAGE = `<!doctype html><title>Bare</title><script type="module">
  const card = document.createElement('article')
  card.textContent = await (await fetch('/item')).text()
  document.body.append(card)
</script>`

async function withBarePage<T>(run: (link: string) => Promise<T>): Promise<T> {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', url === '/item' ? 'text/plain' : 'text/html')
    response.end(url === '/item' ? ITEM : BARE_PAGE)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Milliseconds from the start of the navigation, by the page's clock, until a frame with the item was drawn. */
export async function untilFirstItem(page: Page, link: string): Promise<number> {
  await page.addInitScript((text) => {
    window.heliographFirstItem = new Promise((resolve) => {
      const look = () => {
        const isHere = [...document.querySelectorAll('article')].some((card) =>
          card.textContent.includes(text),
        )
        if (!isHere) return
        watching.disconnect()
        // The second callback runs after the frame of the first.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
      }
      const watching = new MutationObserver(look)
      watching.observe(document, { subtree: true, childList: true })
    })
  }, ITEM)
  await page.goto(link)
  return await page.evaluate(async () => (await window.heliographFirstItem) ?? Number.NaN)
}
