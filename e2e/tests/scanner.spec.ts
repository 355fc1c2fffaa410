import { join } from 'node:path'
import { expect } from '@playwright/test'
import { expectNothingSerious } from '../support/axe.ts'
import { film, seesFilm } from '../support/camera.ts'
import type { Device } from '../support/device.ts'
import type { Folder } from '../support/files.ts'
import { png } from '../support/png.ts'
import { type CallDevice, test } from '../support/stage.ts'

const SCAN = { name: 'Scan QR' }

test('a phone joins by scanning the code on a desktop', async ({ device, folder }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  const bob = await phoneThatSees(device, folder, [{ png: await codeOf(ada), seconds: 1 }])

  await bob.keepsToasts()
  await bob.opensHome()
  await bob.page.getByRole('button', SCAN).click()
  await ada.seesDevices(2)
  await bob.seesHeading('Start Sharing')
  await bob.seesToast('Joined Beam successfully')
  await expect(bob.page.getByRole('dialog')).toHaveCount(0)
  expect(await bob.page.evaluate(() => JSON.parse(localStorage.getItem('session') ?? '{}'))).toMatchObject({
    beam_id: new URL(link).searchParams.get('beam_id'),
    beam_key: null,
    beam_name: 'Untitled Beam',
  })
})

test('e1 a code is scanned with the secret of its link', async ({ device, folder }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const bob = await phoneThatSees(device, folder, [{ png: await codeOf(ada), seconds: 1 }])
  await bob.opensHome()
  await bob.page.getByRole('button', SCAN).click()
  // Without the secret, people would be asked to compare.
  await expect(ada.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()
})

test('another code is named, and scanning continues', async ({ device, folder }) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  const eve = await device('Eve')
  await ada.startsBeam()
  // Version 1; the specification requires version 4.
  await eve.page.route('**/api/beams/create/', async (route) => {
    const made = await route.fetch()
    const wrong = { ...(await made.json()), beam_id: '9b2f1c34-6f0e-11ee-b962-0242ac120002' }
    await route.fulfill({ response: made, json: wrong })
  })
  await eve.startsBeam()
  // The reader is not ready at once, and the first code has to be read before the other one.
  const bob = await phoneThatSees(device, folder, [
    { png: await codeOf(eve), seconds: 12 },
    { png: await codeOf(ada), seconds: 12 },
  ])

  await bob.keepsToasts()
  await bob.opensHome()
  await bob.page.getByRole('button', SCAN).click()
  await bob.seesToast(/The link in this code is broken/, { timeout: 40_000 })
  await ada.seesDevices(2, { timeout: 40_000 })
})

test('the scanner in the Join Beam dialog closes both', async ({ device, folder }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const bob = await phoneThatSees(device, folder, [{ png: await codeOf(ada), seconds: 1 }])

  await bob.opensSpace()
  await bob.page.getByRole('button', { name: 'Join Beam' }).click()
  await bob.page.getByRole('dialog').getByRole('button', SCAN).click()
  await ada.seesDevices(2)
  await expect(bob.page.getByRole('dialog')).toHaveCount(0)
})

test('Cancel and the back button close the scanner and turn the camera off', async ({ device, folder }) => {
  const bob = await phoneThatSees(device, folder, [{ png: png(64, 64), seconds: 1 }])
  await rememberCameras(bob)
  await bob.opensHome()
  const address = bob.page.url()

  const ways = [
    () => bob.page.getByRole('button', { name: 'Cancel' }).click(),
    () => bob.closesByBack(),
    () => bob.page.keyboard.press('Escape'),
  ]
  for (const [done, leave] of ways.entries()) {
    await bob.page.getByRole('button', SCAN).click()
    await expect.poll(() => camerasOf(bob)).toEqual([...Array(done).fill('ended'), 'live'])
    await expect(bob.page.getByText('Waiting for the camera…')).toHaveCount(0)
    if (done === 0) await expectNothingSerious(bob)
    await leave()
    await expect(bob.page.getByRole('dialog')).toHaveCount(0)
    await bob.seesNoDialog()
    await expect.poll(() => camerasOf(bob)).toEqual(Array(done + 1).fill('ended'))
    await expect(bob.page.getByRole('button', SCAN)).toBeFocused()
  }
  expect(bob.page.url()).toBe(address)
})

test('a denied camera shows an alert', async ({ device }) => {
  const flags = ['--use-fake-device-for-media-stream', '--deny-permission-prompts']
  const bob = await device('Bob', { phone: true, own: 'chromium', flags })
  await bob.opensHome()
  const alert = bob.page.waitForEvent('dialog')
  await bob.page.getByRole('button', SCAN).click()
  const dialog = await alert
  expect([dialog.type(), dialog.message()]).toEqual([
    'alert',
    'Camera permission denied. Please allow camera access.',
  ])
  await dialog.accept()
  await expect(bob.page.getByRole('dialog')).toHaveCount(0)
})

test('the reader comes from our own server, and only when it is needed', async ({ device, folder }) => {
  const bob = await phoneThatSees(device, folder, [{ png: png(64, 64), seconds: 1 }])
  const asked: string[] = []
  bob.context.on('request', (request) => asked.push(request.url()))
  await bob.opensHome()
  await expect(bob.page.getByRole('button', SCAN)).toBeVisible()
  await bob.page.waitForLoadState('load')
  expect(asked.filter((url) => url.endsWith('.wasm'))).toEqual([])

  const reader = bob.context.waitForEvent('request', (request) => request.url().endsWith('.wasm'))
  await bob.page.getByRole('button', SCAN).click()
  expect(new URL((await reader).url()).origin).toBe(bob.origin)
})

/** Returns a picture of the code on a device's screen. */
async function codeOf({ page }: Device): Promise<Buffer> {
  const picture = page.getByRole('img', { name: 'QR code of this beam' })
  return await picture.screenshot({ animations: 'disabled' })
}

async function phoneThatSees(
  device: CallDevice,
  folder: Folder,
  shots: Parameters<typeof film>[1],
): Promise<Device> {
  const path = join(folder.path, 'film.y4m')
  await film(path, shots)
  return await device('Bob', { phone: true, own: 'chromium', flags: seesFilm(path) })
}

declare global {
  interface Window {
    heliographCameras?: MediaStreamTrack[]
  }
}

/** Records the cameras that are opened. Call it before the page opens. */
async function rememberCameras({ context }: Device): Promise<void> {
  await context.addInitScript(() => {
    const cameras: MediaStreamTrack[] = []
    window.heliographCameras = cameras
    const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      const stream = await ask(constraints)
      cameras.push(...stream.getTracks())
      return stream
    }
  })
}

async function camerasOf({ page }: Device): Promise<string[]> {
  return await page.evaluate(() => (window.heliographCameras ?? []).map((track) => track.readyState))
}
