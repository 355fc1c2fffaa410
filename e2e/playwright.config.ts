import { defineConfig } from '@playwright/test'
import { CHROMIUM, DESKTOP, FIREFOX } from './support/browsers.ts'

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results/artifacts',
  // Each test already fills two cores with browsers.
  workers: 1,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  // A click that waits says so, rather than the test that ran out of time.
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
