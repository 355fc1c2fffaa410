/** The page /certificate: what a person needs whom a browser has warned about the server's own certificate. */

import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:tls'
import { expect } from '@playwright/test'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import { freePort, Server } from '../support/server.ts'
import { test as base } from '../support/stage.ts'

const test = base.extend<{ signed: { server: Server; https: number } }>({
  signed: async ({ browserName: _ }, use) => {
    const [port, https] = [await freePort(), await freePort()]
    const settings = { HELIOGRAPH_TLS: 'self-signed', HELIOGRAPH_TLS_LISTEN: `0.0.0.0:${https}` }
    const server = await Server.start(settings, { listen: '0.0.0.0', host: '127.0.0.1', port, enter: [] })
    await use({ server, https })
    await server.stop()
  },
})

/** The certificate that a handshake with the server shows. */
async function shownAt(port: number): Promise<X509Certificate> {
  // It is only looked at.
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return new X509Certificate(raw)
}

for (const phone of [false, true]) {
  test(`what the browser shows can be compared on a ${phone ? 'phone' : 'desktop'}`, async ({
    device,
    signed: { server, https },
  }) => {
    const ada = await device('Ada', { phone })
    await ada.opens(`${server.origin}/certificate`)
    await expect(ada.page.getByRole('heading', { name: 'The certificate warning' })).toBeVisible()
    const shown = await shownAt(https)
    const rows = await ada.page.locator('code').allTextContents()
    expect(rows.join(' ')).toBe(shown.fingerprint256.replaceAll(':', ' '))
    await expect(ada.page.getByText('localhost', { exact: true })).toBeVisible()
    await expect(ada.page.getByText('127.0.0.1', { exact: true })).toBeVisible()

    const [download] = await Promise.all([
      ada.page.waitForEvent('download'),
      ada.page.getByRole('link', { name: 'Download the certificate' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('heliograph.crt')
    const saved = new X509Certificate(await readFile(await download.path()))
    expect(saved.fingerprint256).toBe(shown.fingerprint256)
    await expectNothingSerious(ada)
    await expectNoSidewaysScroll(ada)
  })
}

test('the page with the QR code leads there, when the code leads to the certificate', async ({
  device,
  signed: { server },
}) => {
  const ada = await device('Ada')
  await ada.opens(server.origin)
  await ada.page.getByRole('link', { name: 'What to do' }).click()
  await expect(ada.page.getByRole('heading', { name: 'The certificate warning' })).toBeVisible()
})

test('a server without one of its own says so, and has no hint beside the QR code', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await expect(ada.page.getByRole('link', { name: 'What to do' })).toHaveCount(0)
  await ada.opens(`${ada.origin}/certificate`)
  await expect(ada.page.getByText('This server has made no certificate of its own.')).toBeVisible()
})
