import { defineConfig } from '@playwright/test'
import { CHROMIUM, DESKTOP, FIREFOX } from './support/browsers.ts'
import { acknowledgesQuickly } from './support/quick-acks.ts'

// Each process that runs tests reads this file.
acknowledgesQuickly()

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results/artifacts',
  // Two tests at a time nearly fill two cores. Three took 28 minutes instead of 35, at a load that some tests did not pass.
  workers: 2,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  // A click that waits too long fails by itself, with a clearer message than the timeout of the test.
  use: { actionTimeout: 15_000, viewport: DESKTOP, locale: 'en-GB' },
  projects: [
    { name: 'chromium', use: { browserName: 'chromium', launchOptions: CHROMIUM }, grepInvert: /@long/ },
    {
      name: 'firefox',
      use: { browserName: 'firefox', launchOptions: FIREFOX },
      grep: /@everywhere/,
      // Its driver is slower: some tests take half a minute on two busy cores.
      timeout: 120_000,
    },
    {
      name: 'long',
      // A large file fills the machine by itself.
      workers: 1,
      use: { browserName: 'chromium', launchOptions: CHROMIUM },
      grep: /@long/,
      timeout: 20 * 60_000,
    },
  ],
})
