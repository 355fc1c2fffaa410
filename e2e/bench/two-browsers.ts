/** Two Chromium processes with profiles on the disk, like those of two people. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { DESKTOP, WHOLE_CHROMIUM } from '../support/browsers.ts'
import type { Traits } from '../support/device.ts'

export const DESKTOP_CHROMIUM: Traits = { phone: false, browser: 'chromium' }

export interface OpenBrowser {
  readonly page: Page
  readonly profile: string
}

/** Runs a function with two fresh browsers and removes their profiles. */
export async function withTwoBrowsers<T>(
  run: (ada: OpenBrowser, bob: OpenBrowser) => Promise<T>,
): Promise<T> {
  return await withBrowser((ada) => withBrowser((bob) => run(ada, bob)))
}

export async function withBrowser<T>(run: (browser: OpenBrowser) => Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'heliograph-bench-'))
  const context = await chromium.launchPersistentContext(profile, { ...WHOLE_CHROMIUM, viewport: DESKTOP })
  try {
    return await run({ page: context.pages()[0] ?? (await context.newPage()), profile })
  } finally {
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
