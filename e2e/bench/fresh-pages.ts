/** Pages of browsers without any cache or stored data. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from '@playwright/test'
import { DESKTOP, WHOLE_CHROMIUM } from '../support/browsers.ts'

/** Runs a function with a fresh browser, and closes it. */
export async function withFreshBrowser<T>(
  run: (browser: Browser) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const browser = await chromium.launch({
    ...WHOLE_CHROMIUM,
    args: [...(WHOLE_CHROMIUM.args ?? []), ...flags],
  })
  try {
    return await run(browser)
  } finally {
    await browser.close()
  }
}

/** Pause until a new window has drawn itself, which uses both cores and must not count as loading. */
const WINDOW_MS = 500

/** Runs a function with a page that shares no data with any other. */
export async function withFreshPage<T>(browser: Browser, run: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: DESKTOP })
  try {
    const page = await context.newPage()
    await pause(WINDOW_MS)
    return await run(page)
  } finally {
    await context.close()
  }
}
