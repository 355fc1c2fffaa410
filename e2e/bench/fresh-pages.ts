/** Pages of a browser that was never here: nothing cached, nothing kept. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from '@playwright/test'
import { CHROMIUM, DESKTOP } from '../support/browsers.ts'

/** Runs something with a fresh browser, and ends it. */
export async function withFreshBrowser<T>(
  run: (browser: Browser) => Promise<T>,
  flags: readonly string[] = [],
): Promise<T> {
  const browser = await chromium.launch({ ...CHROMIUM, args: [...(CHROMIUM.args ?? []), ...flags] })
  try {
    return await run(browser)
  } finally {
    await browser.close()
  }
}

/** A new window takes this long to draw itself, on both cores: nothing of that is a page's loading. */
const WINDOW_MS = 500

/** Runs something with a page that shares nothing with any other. */
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
