/** The fixture of every test: the running product, and devices on demand. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  chromium,
  firefox,
  type TestInfo,
} from '@playwright/test'
import { CHROMIUM, DESKTOP, FIREFOX, PHONE } from './browsers.ts'
import { type BrowserName, Device } from './device.ts'
import { Folder } from './files.ts'
import { watchPaths } from './paths.ts'
import { sharesInClear } from './sealing.ts'
import { Server } from './server.ts'

export interface DeviceOptions {
  phone?: boolean
  /** The language of the browser. */
  locale?: string
  /** Runs in a browser process of its own with a profile on the disk, which large files need. */
  own?: BrowserName
  /** Further flags of that process. */
  flags?: readonly string[]
  /** The folder of its profile, which a later process finds as this one left it. The test removes it. */
  profile?: string
  /** The folder in which its profile lies; else that of temporary files. */
  place?: string
  /** That browser gives pages no disk: Chromium on plain http, Firefox in a private window. */
  diskless?: boolean
}

export type CallDevice = (name: string, options?: DeviceOptions) => Promise<Device>

interface Fixtures {
  /** The devices do not seal, because a client of the wire takes part that reads and writes clear text. */
  clear: boolean
  /** Opens a device; it closes at the end of the test. */
  device: CallDevice
  /** The folder for the files of this test. */
  folder: Folder
}

export const test = base.extend<Fixtures, { server: Server }>({
  server: [
    async ({ browserName: _ }, use) => {
      const server = await Server.start()
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],

  clear: [false, { option: true }],

  // The folder, in which a profile may be, goes after the browsers.
  device: async ({ browser, browserName, clear, server, folder: _ }, use, info) => {
    const leave: (() => Promise<void>)[] = []
    await use(async (name, options = {}) => {
      const made = options.own
        ? await ownBrowser(options.own, options)
        : await sharedBrowser(browser, browserName as BrowserName, options)
      leave.push(made.leave)
      await watchPaths(made.context)
      if (clear) await sharesInClear(made)
      const page = made.context.pages()[0] ?? (await made.context.newPage())
      leave.push(() => picturesIfFailed(info, made.context))
      const traits = { phone: options.phone ?? false, browser: made.browser, profile: made.profile }
      return new Device(
        name,
        page,
        options.diskless ? onPlainHttp(made.browser, server.origin) : server.origin,
        traits,
      )
    })
    for (const left of leave.reverse()) await left()
  },

  folder: async ({ browserName: _ }, use) => {
    const folder = await Folder.make()
    await use(folder)
    await folder.remove()
  },
})

/** An address that Chromium does not trust, as it trusts that of this machine (RFC 5737: nobody has it). */
export const PLAIN_HOST = '192.0.2.1'
const PLAIN_HOST_HERE = `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`
const PRIVATE = { 'browser.privatebrowsing.autostart': true }

/**
 * Pictures of what a failed test leaves open. Playwright's own setting takes one of every page of every test, before it
 * knows whether the test fails: a quarter of a second of the processor each.
 */
async function picturesIfFailed(info: TestInfo, context: BrowserContext): Promise<void> {
  if (info.status === info.expectedStatus) return
  for (const page of context.pages()) {
    // A page that has crashed cannot be drawn.
    const body = await page.screenshot({ timeout: 5_000 }).catch(() => null)
    if (!body) continue
    const path = info.outputPath(`failed-${info.attachments.length + 1}.png`)
    await writeFile(path, body)
    await info.attach('screenshot', { path, contentType: 'image/png' })
  }
}

interface Made {
  browser: BrowserName
  context: BrowserContext
  profile?: string
  leave: () => Promise<void>
}

async function sharedBrowser(browser: Browser, name: BrowserName, options: DeviceOptions): Promise<Made> {
  const context = await browser.newContext(contextOptions(name, options))
  await allowClipboard(name, context)
  return { browser: name, context, leave: () => context.close() }
}

async function ownBrowser(name: BrowserName, options: DeviceOptions): Promise<Made> {
  const place = options.place ?? tmpdir()
  const profile = options.profile ?? (await mkdtemp(join(place, 'heliograph-profile-')))
  const launch = name === 'chromium' ? CHROMIUM : FIREFOX
  const type = name === 'chromium' ? chromium : firefox
  const context = await type.launchPersistentContext(profile, {
    ...launch,
    args: [
      ...(launch.args ?? []),
      ...(options.flags ?? []),
      ...(options.diskless && name === 'chromium' ? [PLAIN_HOST_HERE] : []),
    ],
    firefoxUserPrefs: { ...launch.firefoxUserPrefs, ...(options.diskless && PRIVATE) },
    ...contextOptions(name, options),
  })
  await allowClipboard(name, context)
  const leave = async () => {
    await context.close()
    if (!options.profile) await rm(profile, { recursive: true, force: true })
  }
  return { browser: name, context, profile, leave }
}

function contextOptions(browser: BrowserName, options: DeviceOptions): BrowserContextOptions {
  const viewport = options.phone ? PHONE : DESKTOP
  const { locale = 'en-GB' } = options
  const touch = options.phone ? { hasTouch: true, ...(browser === 'chromium' && { isMobile: true }) } : {}
  // Firefox's driver rejects the emulation of media features.
  if (browser === 'firefox') return { viewport, locale, ...touch }
  return {
    viewport,
    locale,
    ...touch,
    reducedMotion: 'reduce',
    colorScheme: 'light',
  }
}

async function allowClipboard(browser: BrowserName, context: BrowserContext): Promise<void> {
  if (browser === 'chromium') await context.grantPermissions(['clipboard-read', 'clipboard-write'])
}

function onPlainHttp(browser: BrowserName, origin: string): string {
  return browser === 'chromium' ? origin.replace('127.0.0.1', PLAIN_HOST) : origin
}
