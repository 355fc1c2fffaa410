/** The page /doctor: real connections in a real browser, at a healthy server and at one without TURN. */
import { expect } from '@playwright/test'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { freePort, Server } from '../support/server.ts'
import { test as base } from '../support/stage.ts'

/** TURN at one port for UDP and TCP. Everything is on this machine here. */
const turnAt = (port: number) => ({
  HELIOGRAPH_TURN: 'embedded',
  HELIOGRAPH_TURN_LISTEN: `127.0.0.1:${port}`,
  HELIOGRAPH_TURN_ALLOW_PEERS: '127.0.0.0/8',
})

const test = base.extend<{ without: Server }, { server: Server }>({
  server: [
    async ({ browserName: _ }, use) => {
      const server = await Server.start(turnAt(await freePort()))
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
  without: async ({ browserName: _ }, use) => {
    const server = await Server.start({ HELIOGRAPH_TURN: 'off' })
    await use(server)
    await server.stop()
  },
})

test.setTimeout(180_000)

/** Three connections one after the other, of which each may take 15 s. */
const ENDS_WITHIN_MS = 60_000

async function isExamined({ page }: Device): Promise<Record<string, string>> {
  await expect(page.getByRole('heading', { name: 'Connection check' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Check again' })).toBeEnabled({ timeout: ENDS_WITHIN_MS })
  const lines = await page
    .locator('[data-trial]')
    .evaluateAll((all) =>
      all.map((line) => [line.getAttribute('data-trial') ?? '', line.getAttribute('data-outcome') ?? '']),
    )
  return Object.fromEntries(lines) as Record<string, string>
}

for (const phone of [false, true]) {
  test(`a healthy server is green on a ${phone ? 'phone' : 'desktop'}`, async ({ device }) => {
    const ada = await device('Ada', { phone })
    await (phone ? ada.opensSpace() : ada.opensHome())
    await ada.page.getByRole('button', { name: 'Know More' }).click()
    await ada.page.getByRole('link', { name: 'Connection check' }).click()
    const found = await isExamined(ada)
    const working = [
      'secure',
      'server',
      'clock',
      'websocket',
      'stun',
      'turn_udp',
      'turn_tcp',
      'direct',
      'storage',
    ]
    for (const trial of [...working, 'database', 'worker']) expect(found).toHaveProperty(trial, 'ok')
    // The server offers none.
    expect(found).toHaveProperty('turn_tls', 'skipped')
    expect(Object.values(found)).not.toContain('failed')
    await expectNothingSerious(ada)
    await expectNoSidewaysScroll(ada)
  })
}

test('a server that is away is not said to be in need of care', async ({ device }) => {
  const ada = await device('Ada')
  await ada.opensHome()
  await ada.page.route(/\/api\/(doctor|beams\/create)/, (route) => route.abort())
  await ada.page.getByRole('button', { name: 'Know More' }).click()
  await ada.page.getByRole('link', { name: 'Connection check' }).click()
  const found = await isExamined(ada)
  expect(found).toMatchObject({ server: 'failed', clock: 'skipped', websocket: 'skipped', direct: 'ok' })
  await expect(ada.page.getByText('The server does not answer')).toHaveCount(1)
  await expect(ada.page.getByText('its database or its disk')).toHaveCount(0)
})

test('a server without TURN is said to be one, and the text for a bug report has no ids', async ({
  device,
  without,
}) => {
  const ada = await device('Ada')
  await ada.opens(`${without.origin}/doctor`)
  const found = await isExamined(ada)
  expect(found).toMatchObject({ turn_udp: 'warning', turn_tcp: 'skipped', stun: 'skipped', direct: 'ok' })
  await expect(ada.page.getByText('The server offers no TURN')).toHaveCount(1)
  await ada.page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      document.documentElement.dataset.copied = text
    }
  })
  await ada.page.getByRole('button', { name: 'Copy for a bug report' }).click()
  await expect(ada.page.getByRole('button', { name: 'Copied' })).toBeVisible()
  const text = await ada.page.evaluate(() => document.documentElement.dataset.copied ?? '')
  expect(text).toContain(`Heliograph 1.0.0 at ${new URL(without.origin).host}`)
  expect(text).toContain('warning  turn_udp (off)')
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
  await expectNothingSerious(ada)
})
