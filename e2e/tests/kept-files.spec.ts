import { createHash } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { hasAccount, savesBeam } from '../support/account.ts'
import type { Device } from '../support/device.ts'
import type { TestFile } from '../support/files.ts'
import { MB } from '../support/files.ts'
import { pdf } from '../support/pdf.ts'
import { test } from '../support/stage.ts'

const FILES = '**/api/beams/*/files/'
/** What is waited for from before it begins: all steps until then count too. */
const WITHIN = { timeout: 60_000 }

/** Waits until the beam's store has so many more files. */
async function stores(page: Page, count: number): Promise<void> {
  let stored = 0
  await new Promise<void>((resolve) => {
    page.on('response', (answer) => {
      if (answer.request().method() !== 'POST' || !answer.url().endsWith('/files/')) return
      if (answer.status() === 201 && ++stored === count) resolve()
    })
  })
}

async function savesUnchanged(device: Device, file: TestFile): Promise<void> {
  await device.sees(file.name)
  await device.card(file.name).hover()
  expect(await device.savedSha256(file)).toBe(file.sha256)
}

test('f9_files_of_any_type_that_are_shared_while_others_are_here_outlive_everybody', async ({
  device,
  folder,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  const plan = await folder.file('plan.pdf', 1 * MB)
  const archive = await folder.file('photos.zip', 3 * MB)
  const stored = stores(ada.page, 2)
  await ada.sharesFiles(plan, archive)
  await bob.sees(plan.name)
  await stored
  await ada.hasSentAll()
  await ada.page.reload()
  await bob.page.reload()
  for (const person of [ada, bob]) {
    await savesUnchanged(person, plan)
    await savesUnchanged(person, archive)
  }
  await ada.page.close()
  await bob.page.close()
  const cleo = await device('Cleo')
  await cleo.opens(link)
  await savesUnchanged(cleo, plan)
})

test('a copy that the server was not there for is stored after its restart', async ({
  device,
  folder,
  server,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  const plan = await folder.file('plan.pdf', 2 * MB)
  const failed = ada.page.waitForEvent('requestfailed', {
    predicate: (request) => request.url().endsWith('/files/'),
    ...WITHIN,
  })
  await ada.page.route(FILES, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await ada.sharesFiles(plan)
  await bob.sees(plan.name)
  await failed
  await server.dies()
  await ada.page.unrouteAll({ behavior: 'ignoreErrors' })
  const stored = stores(ada.page, 1)
  await server.up()
  await stored
  await ada.hasSentAll()
  await ada.page.close()
  await savesUnchanged(bob, plan)
})

test('a reload in the middle of an upload loses the file, and the card says so', async ({
  device,
  folder,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  const plan = await folder.file('plan.pdf', 1 * MB)
  const held = ada.page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/files/'),
    WITHIN,
  )
  await ada.page.route(FILES, (route) => (route.request().method() === 'POST' ? undefined : route.continue()))
  await ada.sharesFiles(plan)
  await held
  ada.page.on('dialog', (dialog) => void dialog.accept())
  await ada.page.reload()
  const card = ada.card(plan.name)
  await expect(card.getByText('This page was reloaded, so the file is no longer here.')).toBeVisible()
  await expect(card.getByText('This beam has no copy.', { exact: true })).toBeVisible()

  await ada.page.unrouteAll({ behavior: 'ignoreErrors' })
  const stored = stores(ada.page, 1)
  await card.getByLabel(`Choose ${plan.name} again`).setInputFiles(plan.path)
  await stored
  await ada.hasSentAll()
  await ada.page.close()
  await savesUnchanged(bob, plan)
})

test('f13_what_does_not_fit_is_named_and_not_uploaded', async ({ device, folder }) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  await ada.page.route(FILES, (route) => route.fulfill({ json: { largest: MB, free: MB } }))
  const film = await folder.file('film.mp4', 2 * MB)
  await ada.sharesFiles(film)
  await ada.seesToast('“film.mp4” (2.0 MB) stays on this device only: this beam has 1.0 MB left.')
  await expect(ada.card(film.name).getByText('Only on this device. This beam has no copy.')).toBeVisible()
  await bob.sees(film.name)
})

test('a document that the server alone has is shown in full and saved, each with one press', async ({
  device,
}) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  const buffer = pdf('The first page')
  const sha256 = createHash('sha256').update(buffer).digest('hex')
  const plan = { name: 'plan.pdf', path: '', size: buffer.length, sha256 }
  await ada.picker().setInputFiles({ name: plan.name, mimeType: 'application/pdf', buffer })
  await ada.seesToast('Uploaded "plan.pdf" Successfully!')
  await ada.hasSentAll()
  await ada.page.close()

  const bob = await device('Bob')
  await bob.opens(link)
  await bob.has(plan)
  await expect(bob.card(plan.name).getByRole('button', { name: 'Receive' })).toHaveCount(0)
  await bob.uses(bob.card(plan.name), 'Full view')
  const view = bob.page.getByRole('dialog', { name: plan.name })
  await expect(view.getByText('The first page')).toBeAttached()
  await bob.page.keyboard.press('Escape')
  await savesUnchanged(bob, plan)
})
