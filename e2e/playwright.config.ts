import { defineConfig } from '@playwright/test'
import { CHROMIUM, DESKTOP, FIREFOX } from './support/browsers.ts'

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results/artifacts',
  // One test at a time, because the browsers of each test fill two cores.
  workers: 1,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  // A click that waits too long fails by itself, with a clearer message than the timeout of the test.
  use: { actionTimeout: 15_000, viewport: DESKTOP, locale: 'en-GB', screenshot: 'only-on-failure' },
  projects: [
    { name: 'chromium', use: { browserName: 'chromium', launchOptions: CHROMIUM }, grepInvert: /@long/ },
    { name: 'firefox', use: { browserName: 'firefox', launchOptions: FIREFOX }, grep: /@everywhere/ },
    {
      name: 'long',
      use: { browserName: 'chromium', launchOptions: CHROMIUM },
      grep: /@long/,
      timeout: 20 * 60_000,
    },
  ],
})
