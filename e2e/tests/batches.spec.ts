import { isDeepStrictEqual } from 'node:util'
import { expect, type Locator } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { type Folder, sha256Of, type TestFile } from '../support/files.ts'
import { hidesSheet, severalFiles, sharesPictures } from '../support/scene-steps.ts'
import { type CallDevice, test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

type Box = Awaited<ReturnType<Locator['boundingBox']>>

/** Two devices in a beam; the second may be a phone. */
async function pair(device: CallDevice, phone = false): Promise<[Device, Device]> {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone })
  await bob.opens(await ada.startsBeam())
  for (const one of [ada, bob]) await one.seesDevices(2)
  return [ada, bob]
}

/** The card of five files, once it is on the screen. */
async function batchOf(device: Device): Promise<Locator> {
  const card = device.card('minutes.pdf')
  await expect(card).toHaveCount(1)
  await expect(card.getByText('5 files', { exact: true })).toBeVisible()
  return card
}

/** Where a card is once it has come to rest: it moves to its place, and takes its height from what it holds. */
async function restingPlace(card: Locator): Promise<Box> {
  let place: Box = null
  const isAtRest = async () => {
    const before = place
    place = await card.boundingBox()
    return place !== null && isDeepStrictEqual(place, before)
  }
  await expect.poll(isAtRest, { intervals: [250] }).toBe(true)
  return place
}

async function shares(one: Device, folder: Folder): Promise<readonly TestFile[]> {
  const files = await severalFiles(folder)
  await one.sharesFiles(...files)
  return files
}

test.describe('files that are shared together', () => {
  test('are one card, and are received with one press', everywhere, async ({ device, folder }) => {
    const [ada, bob] = await pair(device)
    const files = await shares(ada, folder)
    const card = await batchOf(bob)
    await expect(bob.page.getByRole('article')).toHaveCount(1)
    await expect(card.getByText('4.3 MB', { exact: true })).toBeVisible()

    // It is looked for before it comes: the toast is gone again in seconds.
    const told = ada.seesToast('Uploaded 5 files Successfully!', { timeout: 30_000 })
    await card.getByRole('button', { name: 'Receive all' }).click()
    await told
    await expect(card.getByText('Complete')).toBeVisible()
    await card.getByRole('button', { name: 'Show all 5' }).click()
    for (const file of files) expect(await bob.savedSha256(file)).toBe(file.sha256)
  })

  test('can be chosen one by one, and cancelled one by one', async ({ device, folder }) => {
    const [ada, bob] = await pair(device)
    const [minutes, film] = await shares(ada, folder)
    if (!minutes || !film) throw new Error('no files')
    const card = await batchOf(bob)
    await bob.takes(film)
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    await expect(card.getByText('1 of 5 received')).toBeVisible()
    await expect(bob.file(minutes).getByRole('button', { name: 'Receive' })).toBeVisible()
    await card.getByRole('button', { name: 'Receive 4 more' }).click()
    expect(await bob.savedSha256(minutes)).toBe(minutes.sha256)
  })

  test('are saved one after the other with one press', async ({ device, folder }) => {
    const [ada, bob] = await pair(device)
    // Without a folder picker, which no test can press, the browser downloads them.
    await bob.page.addInitScript(() => Reflect.deleteProperty(window, 'showDirectoryPicker'))
    await bob.page.reload()
    const files = await shares(ada, folder)
    const card = await batchOf(bob)
    await card.getByRole('button', { name: 'Receive all' }).click()
    await expect(card.getByText('Complete')).toBeVisible()

    const sums = new Map<string, string>()
    bob.page.on('download', async (download) => {
      sums.set(download.suggestedFilename(), await sha256Of(await download.path()))
    })
    await card.getByRole('button', { name: 'Save all' }).click()
    await bob.seesToast('The browser has 5 downloads to save')
    await expect.poll(() => [...sums].sort()).toEqual(files.map(({ name, sha256 }) => [name, sha256]).sort())
  })

  test(
    'go with one press and come back with one Undo, where they were',
    everywhere,
    async ({ device, folder }) => {
      const [ada, bob] = await pair(device)
      await shares(ada, folder)
      const card = await batchOf(bob)
      const place = await restingPlace(card)
      await bob.uses(card, 'Delete')
      // The toast stays under the pointer, however late the other device hears of it.
      await bob.page.locator('[data-toast]').filter({ hasText: 'Deleted 5 files' }).hover()
      await expect(ada.page.getByRole('article')).toHaveCount(0)
      await bob.page.getByRole('button', { name: 'Undo' }).click()
      await batchOf(ada)
      const again = await batchOf(bob)
      await expect.poll(() => again.boundingBox()).toEqual(place)
      // The bytes can still be had from where they are.
      await (await batchOf(bob)).getByRole('button', { name: 'Receive all' }).click()
      await expect((await batchOf(bob)).getByText('Complete')).toBeVisible()
    },
  )

  test('lose one file by itself, and are still one card', async ({ device, folder }) => {
    const [ada, bob] = await pair(device)
    await shares(ada, folder)
    await batchOf(bob)
    const list = bob.card('minutes.pdf')
    const film = list.getByRole('listitem').filter({ hasText: 'holiday film.bin' })
    await expect(film).toHaveCount(1)
    // The card may still move from under the pointer. A press may also have worked, and its end come too late.
    await expect(async () => {
      if ((await film.count()) === 0) return
      await film.hover()
      await list.getByRole('button', { name: 'Delete holiday film.bin' }).click({ timeout: 1_000 })
    }).toPass()
    await expect(ada.card('minutes.pdf').getByText('4 files', { exact: true })).toBeVisible()
  })

  test('are one card after a reload, and for a device that joins late', async ({ device, folder }) => {
    const ada = await device('Ada')
    const bob = await device('Bob')
    const link = await ada.startsBeam()
    await bob.opens(link)
    await ada.seesDevices(2)
    await shares(ada, folder)
    await batchOf(bob)
    await bob.page.reload()
    await batchOf(bob)
    const cyd = await device('Cyd')
    await cyd.opens(link)
    await (await batchOf(cyd)).getByRole('button', { name: 'Receive all' }).click()
    await expect((await batchOf(cyd)).getByText('Complete')).toBeVisible()
  })

  test('are shown as thumbnails when they are pictures', everywhere, async ({ device }) => {
    const [ada, bob] = await pair(device)
    await sharesPictures(ada, 7)
    const card = bob.card('7 pictures')
    await expect(card.getByRole('button', { name: /^Full view of/ })).toHaveCount(4)
    await expect(card.getByText('+3')).toBeVisible()
    await card.getByRole('button', { name: 'Full view of IMG_2041.png' }).click()
    await expect(bob.page.getByRole('dialog', { name: 'IMG_2041.png' })).toBeVisible()
    await bob.page.getByRole('button', { name: 'Close' }).click()
    await card.getByRole('button', { name: 'Show the files' }).click()
    await expect(card.getByRole('listitem')).toHaveCount(7)
  })

  test('of which there are more than a batch holds are one item, and all fit', async ({ device }) => {
    const ada = await device('Ada')
    await ada.startsBeam()
    const many = Array.from({ length: 501 }, (_, at) => ({
      name: `${at}.bin`,
      mimeType: '',
      buffer: Buffer.from([at % 256]),
    }))
    await ada.picker().setInputFiles(many)
    await ada.seesToast('Uploading 501 files')
    await expect(ada.page.getByRole('article')).toHaveCount(1)
  })
})

test.describe('on a phone, files that come', () => {
  test('are shown by a sheet that goes on as a card, and comes back by a tap', async ({ device, folder }) => {
    const [ada, bob] = await pair(device, true)
    const files = await shares(ada, folder)
    const sheet = bob.page.getByRole('dialog', { name: /^5 files from/ })
    await expect(sheet).toBeVisible()
    await hidesSheet(bob)
    await (await batchOf(bob)).getByRole('button', { name: '5 files', exact: true }).click()
    await sheet.getByRole('button', { name: 'Receive all' }).click()
    await expect(sheet.getByRole('button', { name: 'Save all' })).toBeVisible()
    await sheet.getByRole('button', { name: 'Done' }).click()
    const card = await batchOf(bob)
    await card.getByRole('button', { name: 'Show all 5' }).click()
    for (const file of files) await bob.has(file)
  })

  test('go on when the sheet is dragged down', async ({ device, folder }) => {
    const [ada, bob] = await pair(device, true)
    await shares(ada, folder)
    const sheet = bob.page.getByRole('dialog', { name: /^5 files from/ })
    const title = await sheet.getByRole('heading').boundingBox()
    if (!title) throw new Error('no title')
    const { mouse } = bob.page
    const drags = async (by: number) => {
      await mouse.move(title.x + 20, title.y + 10)
      await mouse.down()
      await mouse.move(title.x + 20, title.y + 10 + by, { steps: 4 })
      await mouse.up()
    }
    await drags(40)
    await expect(sheet).toBeVisible()
    await drags(160)
    await expect(sheet).toHaveCount(0)
    await batchOf(bob)
  })

  test('do not cover a field in use', async ({ device, folder }) => {
    const [ada, bob] = await pair(device, true)
    const field = bob.page.getByRole('textbox', { name: 'Message' })
    await field.fill('half a sen')
    await shares(ada, folder)
    await batchOf(bob)
    await expect(field).toBeFocused()
    await expect(bob.page.getByRole('dialog')).toHaveCount(0)
  })
})
