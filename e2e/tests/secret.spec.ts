/** The secret of a link: every way in carries it, and it stays on the devices (E1). */
import { expect } from '@playwright/test'
import { choosesFromBeamMenu } from '../support/beam-scenes.ts'
import type { Device } from '../support/device.ts'
import { formsOfSecret, Overheard } from '../support/sealing.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

/** Whoever came by the link is in without a comparison. */
const encrypted = (device: Device) =>
  expect(device.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()

const idIn = (link: string) => /beam_id=([0-9a-f-]{36})/.exec(link)?.[1] ?? ''

// Firefox's driver tells neither the bodies of requests nor the frames of websockets.
test('e1 the secret leaves neither the page that made it nor the one that was opened with it', async ({
  device,
  server,
}) => {
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  const pages = [laptop, phone].map(({ page }) => ({ page, overheard: new Overheard(page) }))
  const link = await laptop.startsBeam()
  await phone.opens(link)
  await encrypted(laptop)
  await phone.sharesText('marmalade from Granada')
  await laptop.sees('marmalade from Granada')
  // Whatever asks the server for more: a short code, other pages, a call that fails, a reload.
  await choosesFromBeamMenu(laptop, 'Show QR')
  await laptop.page.getByRole('button', { name: 'Show a short code' }).click()
  await expect(laptop.page.getByRole('button', { name: 'Copy short code' })).toBeVisible()
  await laptop.page.keyboard.press('Escape')
  await expect(laptop.page.getByRole('dialog')).toHaveCount(0)
  await laptop.seesNoDialog()
  for (const path of ['/login', '/doctor', '/nothing/here', '/']) await laptop.opens(laptop.origin + path)
  await laptop.page.evaluate(() => fetch('/api/nothing', { method: 'POST' }))
  await phone.page.reload()
  await phone.sees('marmalade from Granada')
  for (const { page, overheard } of pages) {
    overheard.knowsOf(idIn(link))
    overheard.knowsNotTheSecretOf(link, await keptBy(page), await page.title(), server.log)
  }
  // The control: what the worker of the keys could tell the server would be found.
  const hex = Buffer.from(link.slice(-43), 'base64url').toString('hex')
  await phone.page.evaluate(
    ([url, body]) =>
      new Promise((told) => {
        const code = `fetch('${url}', { method: 'POST', body: '${body}' }).then(() => postMessage(null))`
        new Worker(URL.createObjectURL(new Blob([code]))).addEventListener('message', told)
      }).then(() => {}),
    [`${phone.origin}/api/nothing`, hex] as const,
  )
  expect(() => pages[1]?.overheard.knowsNotTheSecretOf(link)).toThrow()
})

/** Everything that a page keeps where it can be read, and what is in its address and its history. */
async function keptBy(page: Device['page']): Promise<string> {
  return await page.evaluate(async () => {
    const kept: unknown[] = [{ ...localStorage }, { ...sessionStorage }, history.state]
    kept.push(location.href, document.referrer, document.cookie)
    const names = 'caches' in globalThis ? await caches.keys() : []
    for (const name of names) {
      for (const { url } of await (await caches.open(name)).keys()) kept.push(url)
    }
    return JSON.stringify(kept)
  })
}

test(
  'e1 back, forward and a reload find no secret in the address, and the beam as it was',
  everywhere,
  async ({ device }) => {
    const laptop = await device('laptop')
    const phone = await device('phone', { phone: true })
    await phone.opens(`${phone.origin}/doctor`)
    const link = await laptop.startsBeam()
    await phone.opens(link)
    await encrypted(laptop)
    await laptop.sharesText('marmalade from Granada')
    await phone.sees('marmalade from Granada')
    const clean = () => expect(phone.page).toHaveURL((url) => url.hash === '' && url.search === '')
    await phone.opens(`${phone.origin}/login`)
    await phone.page.goBack()
    await clean()
    await phone.sees('marmalade from Granada')
    await phone.page.goBack()
    await clean()
    await phone.page.goForward()
    await clean()
    await phone.page.reload()
    await clean()
    await phone.sees('marmalade from Granada')
    // Its own link has the secret again.
    await phone.goesToSpace()
    await laptop.leaves()
    expect(await phone.scansOwnQr()).toBe(link)
  },
)

test('e1 no entry of the history has the secret', async ({ device }) => {
  const laptop = await device('laptop')
  const other = await device('other')
  const link = await laptop.startsBeam()
  await other.opens(link)
  await encrypted(laptop)
  const session = await other.context.newCDPSession(other.page)
  const { entries } = await session.send('Page.getNavigationHistory')
  const addresses = entries.map(({ url }) => url)
  expect(addresses).toContain(`${other.origin}/`)
  for (const form of formsOfSecret(link)) expect(addresses.join()).not.toContain(form)
})

for (const [what, path, seen] of [
  ['a page for people with an account, which leads to the login', '/profile', 'Sign In'],
  ['the Space', '/space', null],
  ['the Join Beam dialog', '/join', null],
] as const) {
  test(`e1 a link to ${what} carries the secret`, async ({ device }) => {
    const laptop = await device('laptop')
    const other = await device('other')
    const { hash, search } = new URL(await laptop.startsBeam())
    await other.opens(`${other.origin}${path}${search}${hash}`)
    if (seen !== null) await other.seesHeading(seen)
    await encrypted(laptop)
    await expect(other.page).toHaveURL((url) => url.hash === '' && url.search === '')
  })
}

test('e1 a link that is pasted into the dialog carries the secret, one that was cut does not lead in', async ({
  device,
}) => {
  const laptop = await device('laptop')
  const other = await device('other')
  const link = await laptop.startsBeam()
  await other.opensHome()
  await other.joinsByTyping(link.slice(0, -1))
  await expect(other.page.getByRole('dialog').getByText('The link is not whole yet.')).toBeVisible()
  await other.page.getByRole('dialog').getByRole('textbox').fill(link)
  await encrypted(laptop)
})

test('e8 a short code carries no secret: people compare', async ({ device }) => {
  const laptop = await device('laptop')
  const other = await device('other')
  await laptop.startsBeam()
  await choosesFromBeamMenu(laptop, 'Show QR')
  await laptop.page.getByRole('button', { name: 'Show a short code' }).click()
  const code = await laptop.page.getByRole('dialog').locator('strong').textContent()
  await other.opens(`${other.origin}/?beam_id=${code}`)
  for (const one of [laptop, other])
    await expect(one.page.getByRole('button', { name: 'Not verified' })).toBeVisible()
})

test('e1 Copy link, Share and the code carry the secret after a reload too, and Copy never', async ({
  device,
}) => {
  const laptop = await device('laptop')
  await laptop.context.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (text: string) => Object.assign(window, { copied: text }) },
    })
    Object.assign(navigator, {
      share: async ({ url }: ShareData) => Object.assign(window, { shared: url }),
    })
  })
  const link = await laptop.startsBeam()
  await laptop.page.reload()
  expect(await laptop.scansOwnQr()).toBe(link)
  const copied = () => laptop.page.evaluate(() => (window as { copied?: string }).copied)
  await laptop.page.getByRole('button', { name: 'Copy', exact: true }).first().click()
  await expect.poll(copied).toBe(idIn(link))
  await laptop.page.getByRole('button', { name: 'Copy link' }).first().click()
  await expect.poll(copied).toBe(link)
  await choosesFromBeamMenu(laptop, 'Show QR')
  await laptop.page.getByRole('dialog').getByRole('button', { name: 'Share' }).click()
  await expect.poll(() => laptop.page.evaluate(() => (window as { shared?: string }).shared)).toBe(link)
})
