/** From opening a link in a second browser to the first item of the first one on its screen. */
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import type { Server } from '../support/server.ts'
import { withFreshBrowser, withFreshPage } from './fresh-pages.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, withBrowser } from './two-browsers.ts'

const TIMES = 20
const ITEM = 'the first item'

declare global {
  interface Window {
    heliographFirstItem?: Promise<number>
  }
}

export async function measureJoining(server: Server): Promise<Row> {
  const times = await withBrowser(async ({ page }) => {
    const ada = new Device('Ada', page, server.origin, DESKTOP_CHROMIUM)
    const link = await ada.startsBeam()
    await ada.sharesText(ITEM)
    await ada.sees(ITEM)
    return await withFreshBrowser(async (browser) => {
      const all: number[] = []
      for (let run = 0; run < TIMES; run += 1) {
        all.push(await withFreshPage(browser, (other) => untilFirstItem(other, link)))
      }
      return all
    })
  })
  return {
    figure: 'a link opened, to the first item on the screen',
    product: `${median(times).toFixed(0)} ms`,
    reference: '',
    value: median(times),
    target: { atMost: 500 },
  }
}

/** Milliseconds since the navigation began, by the page's own clock, until a frame with the item was drawn. */
async function untilFirstItem(page: Page, link: string): Promise<number> {
  await page.addInitScript((text) => {
    window.heliographFirstItem = new Promise((resolve) => {
      const look = () => {
        const isHere = [...document.querySelectorAll('article')].some((card) =>
          card.textContent.includes(text),
        )
        if (!isHere) return
        watching.disconnect()
        // The second callback comes after the frame of the first.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
      }
      const watching = new MutationObserver(look)
      watching.observe(document, { subtree: true, childList: true })
    })
  }, ITEM)
  await page.goto(link)
  return await page.evaluate(async () => (await window.heliographFirstItem) ?? Number.NaN)
}
