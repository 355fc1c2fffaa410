import { createHash } from 'node:crypto'
import { expect, type Response } from '@playwright/test'
import { hasAccount, savesBeam } from '../support/account.ts'
import { expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

/** What is waited for from before it begins: all steps until then count too. */
const WITHIN = { timeout: 60_000 }

test.setTimeout(120_000)

/** Returns a real picture of the screen, 64 pixels wide. */
async function picture({ page }: Device, name: string) {
  const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 48 } })
  return { name, mimeType: 'image/png', buffer }
}

/** Waits for the answer to a stored copy. */
async function storesFile({ page }: Device): Promise<Response> {
  const stored = await page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/files/'),
    WITHIN,
  )
  // The page names the copy to others once it has read the whole answer.
  await stored.finished()
  return stored
}

for (const phone of [false, true]) {
  test(`a picture shared while alone is found by a ${phone ? 'phone' : 'desktop'} that joins later`, async ({
    device,
  }) => {
    const ada = await device('Ada')
    const link = await ada.startsBeam()
    const file = await picture(ada, 'view.png')
    await ada.keepsToasts()
    await ada.picker().setInputFiles(file)
    await ada.seesToast('Uploading view.png')
    await ada.seesToast('Uploaded "view.png" Successfully!')
    await ada.hasSentAll()
    await ada.page.close()

    const bob = await device('Bob', { phone })
    const read = bob.page.waitForResponse((answer) => answer.url().includes('/api/uploads/'), WITHIN)
    await bob.opens(link)
    // Of a sealed beam only a device has the keys. Hers has the picture no more.
    await (await ada.context.newPage()).goto(link)
    await bob.sees('view.png')
    expect((await read).ok()).toBe(true)
    const shown = bob.page.getByRole('img', { name: 'view.png' })
    await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(64)
    await expectNothingSerious(bob)

    // The actions of a note are shown under the pointer, those of a card in its menu.
    if (phone) await bob.card('view.png').getByRole('button', { name: 'More' }).click()
    else await bob.card('view.png').hover()
    const sha256 = createHash('sha256').update(file.buffer).digest('hex')
    expect(await bob.savedSha256({ name: file.name, path: '', size: file.buffer.length, sha256 })).toBe(
      sha256,
    )
  })
}

test('an upload can be cancelled, and no device hears of it', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  // The request is held back on its way to the server.
  await ada.page.route('**/api/upload/**', () => {})
  await ada.picker().setInputFiles(await picture(ada, 'view.png'))
  await expect(ada.card('view.png').getByText('Uploading', { exact: true })).toBeVisible()
  await ada.card('view.png').getByRole('button', { name: 'Cancel' }).click()
  await ada.seesNothingOf('view.png')

  await ada.sharesText('a sign that everything before it is here')
  const bob = await device('Bob')
  await bob.opens(link)
  await bob.sees('a sign that everything before it is here')
  await bob.seesNothingOf('view.png')
})

test('a file that the store refuses waits for a device', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  await ada.page.route('**/api/upload/**', (route) => route.abort())
  await ada.keepsToasts()
  await ada.picker().setInputFiles(await picture(ada, 'view.png'))
  await ada.seesToast('Failed to upload!')
  await ada.sees('view.png')

  const bob = await device('Bob')
  await bob.opens(link)
  const shown = bob.page.getByRole('img', { name: 'view.png' })
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(64)
  await ada.seesToast('Uploaded "view.png" Successfully!')
})

test('with another device here, a picture is sent to it and not to the store', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  const uploads: string[] = []
  ada.page.on('request', (request) => {
    if (request.url().includes('/api/upload/')) uploads.push(request.url())
  })
  await ada.keepsToasts()
  await ada.picker().setInputFiles(await picture(ada, 'view.png'))
  await ada.seesToast('Uploaded "view.png" Successfully!')
  await bob.sees('view.png')
  expect(uploads).toEqual([])
})

/** Expects the picture for a device that joins after the sharing device has left. */
async function outlives(ada: Device, link: string, device: (name: string) => Promise<Device>): Promise<void> {
  await ada.hasSentAll()
  await ada.page.close()
  const cleo = await device('Cleo')
  await cleo.opens(link)
  const shown = cleo.page.getByRole('img', { name: 'view.png' })
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(64)
}

test('in a saved beam a picture is sent to the device that is here, and is also stored', async ({
  device,
}) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  const stored = storesFile(ada)
  await ada.picker().setInputFiles(await picture(ada, 'view.png'))
  await bob.sees('view.png')
  expect((await stored).status()).toBe(201)
  await expect(ada.card('view.png').getByText('Only on this device')).toHaveCount(0)
  await outlives(ada, link, device)
})

test('a picture that was shared before the beam was saved is stored then', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  await ada.picker().setInputFiles(await picture(ada, 'view.png'))
  await bob.sees('view.png')
  const stored = storesFile(ada)
  await ada.page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = ada.page.getByRole('dialog', { name: 'Save Beam' })
  await ada.enters(dialog.getByRole('textbox', { name: 'Beam Name' }), 'Cabin')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  expect((await stored).status()).toBe(201)
  await expect(ada.card('view.png').getByText('Only on this device')).toHaveCount(0)
  await outlives(ada, link, device)
})

test('a picture for which a saved beam has no room names the device that has it', async ({ device }) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  const body = { detail: 'There is no room for this file.', code: 'no_room' }
  await ada.page.route('**/api/beams/*/files/', (route) => route.fulfill({ status: 507, json: body }))
  await ada.picker().setInputFiles(await picture(ada, 'view.png'))
  await expect(ada.card('view.png').getByText('Only on this device. This beam has no copy.')).toBeVisible()
  // He has received it, so it is not on her device alone.
  await expect(bob.card('view.png').getByText('This beam has no copy.', { exact: true })).toBeVisible()
  const shown = bob.page.getByRole('img', { name: 'view.png' })
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(64)
})

test('in a saved beam a guest shares a document, which outlives the guest', async ({ device }) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  const buffer = Buffer.from('%PDF-1.7 the plan of the cabin')
  const stored = storesFile(bob)
  await bob.picker().setInputFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer })
  expect((await stored).status()).toBe(201)
  const sha256 = createHash('sha256').update(buffer).digest('hex')
  const plan = { name: 'plan.pdf', path: '', size: buffer.length, sha256 }
  await ada.has(plan)
  await bob.page.close()

  const cleo = await device('Cleo')
  await cleo.opens(link)
  await cleo.card(plan.name).hover()
  expect(await cleo.savedSha256(plan)).toBe(sha256)
})
