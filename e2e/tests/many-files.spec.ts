import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, type Locator } from '@playwright/test'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import type { Folder } from '../support/files.ts'
import { type CallDevice, test } from '../support/stage.ts'

const run = promisify(execFile)

const COUNT = 2_000
const SIZE = 1_000
const WITHIN = { timeout: LARGE_FILE_MS }

/** Two devices in a beam; the second is a phone without a folder picker, which no test can press. */
async function pair(device: CallDevice): Promise<[Device, Device]> {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.page.addInitScript(() => Reflect.deleteProperty(window, 'showDirectoryPicker'))
  await bob.opens(await ada.startsBeam())
  for (const one of [ada, bob]) await one.seesDevices(2)
  return [ada, bob]
}

/** Writes files that differ from each other. Returns their folder, and the sum of each by name. */
async function manyFiles(folder: Folder): Promise<{ path: string; sums: Map<string, string> }> {
  const path = join(folder.path, 'many')
  await mkdir(path)
  const sums = new Map<string, string>()
  for (let at = 0; at < COUNT; at += 1) {
    const name = `IMG ${String(at).padStart(4, '0')}.jpg`
    const bytes = Buffer.alloc(SIZE, `${at} `)
    sums.set(name, createHash('sha256').update(bytes).digest('hex'))
    await writeFile(join(path, name), bytes)
  }
  return { path, sums }
}

async function shareAll(ada: Device, path: string): Promise<void> {
  const names = (await readdir(path)).sort()
  const paths = names.map((name) => join(path, name))
  await ada.picker().setInputFiles(paths, WITHIN)
}

const cardOf = (device: Device): Locator => device.card('2,000 files')

test.describe('thousands of files that are shared together', () => {
  test.describe.configure({ timeout: 2 * LARGE_FILE_MS })

  test('f16_are_one_card_with_a_list_and_arrive_whole', async ({ device, folder }, info) => {
    const [ada, bob] = await pair(device)
    const { path, sums } = await manyFiles(folder)
    await ada.keepsToasts()
    await shareAll(ada, path)
    await ada.seesToast('Uploading 2,000 files', WITHIN)
    const card = cardOf(bob)
    await expect(card).toHaveCount(1, WITHIN)
    await expect(bob.page.getByRole('article')).toHaveCount(1)
    await card.getByRole('button', { name: 'Receive' }).click()
    await ada.seesToast('Uploaded 2,000 files Successfully!', WITHIN)

    await test.step('the list scrolls to its end, and only what is near is drawn', async () => {
      await card.getByRole('button', { name: 'Show all 2,000' }).click()
      const list = card.getByRole('list')
      await expect(list.getByText('IMG 0000.jpg').first()).toBeVisible()
      expect(await list.getByRole('listitem').count()).toBeLessThan(40)
      await info.attach('the list on a phone', {
        body: await bob.page.screenshot(),
        contentType: 'image/png',
      })
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      await expect(card.getByRole('button', { name: 'Save IMG 1999.jpg' })).toBeVisible()
      expect(await list.getByRole('listitem').count()).toBeLessThan(40)
    })

    await test.step('one is saved by itself', async () => {
      const [download] = await Promise.all([
        bob.page.waitForEvent('download', WITHIN),
        card.getByRole('button', { name: 'Save IMG 1999.jpg' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('IMG 1999.jpg')
      const bytes = await readFile(await download.path())
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sums.get('IMG 1999.jpg'))
    })

    await test.step('all are saved as one archive that opens', async () => {
      const [download] = await Promise.all([
        bob.page.waitForEvent('download', WITHIN),
        card.getByRole('button', { name: 'Save all' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('2,000 files.zip')
      const out = join(folder.path, 'out')
      await run('python3', ['-m', 'zipfile', '-t', await download.path()])
      await run('python3', ['-m', 'zipfile', '-e', await download.path(), out])
      const names = await readdir(out)
      expect(names.sort()).toEqual([...sums.keys()])
      for (const name of names) {
        const sum = createHash('sha256')
          .update(await readFile(join(out, name)))
          .digest('hex')
        expect(sum).toBe(sums.get(name))
      }
    })
    await info.attach('the sender', { body: await ada.page.screenshot(), contentType: 'image/png' })
  })

  test('f16_arrive_although_they_were_deleted_on_the_disk_once_they_were_shared', async ({
    device,
    folder,
  }) => {
    const [ada, bob] = await pair(device)
    const { path, sums } = await manyFiles(folder)
    await shareAll(ada, path)
    const card = cardOf(bob)
    await expect(card).toHaveCount(1, WITHIN)
    await rm(path, { recursive: true })
    await card.getByRole('button', { name: 'Receive' }).click()
    await card.getByRole('button', { name: 'Show all 2,000' }).click()
    const [download] = await Promise.all([
      bob.page.waitForEvent('download', WITHIN),
      card.getByRole('button', { name: 'Save IMG 0000.jpg' }).click(WITHIN),
    ])
    const bytes = await readFile(await download.path())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sums.get('IMG 0000.jpg'))
  })

  test('f16_are_found_by_the_name_of_one_of_them_and_go_with_one_undo', async ({ device, folder }) => {
    const ada = await device('Ada')
    await ada.startsBeam()
    const { path } = await manyFiles(folder)
    await shareAll(ada, path)
    const card = cardOf(ada)
    await expect(card.getByText('IMG 0000.jpg').first()).toBeAttached(WITHIN)
    await ada.sharesText('a note beside them')
    // A key is for the page once the field of the message has closed.
    await expect(ada.page.getByRole('button', { name: 'Send', exact: true })).toBeHidden()
    await ada.page.locator('body').press('/')
    const field = ada.page.getByRole('searchbox', { name: 'Search items' })
    await field.fill('img 1234.jpg')
    await expect(ada.page.getByText(/^1 of 2 items match/)).toBeVisible()
    await field.press('Escape')
    await field.press('Escape')
    await ada.keepsToasts()
    await ada.uses(card, 'Delete')
    await ada.seesToast('Deleted 2,000 files')
    await expect(card).toHaveCount(0)
    await ada.page.getByRole('button', { name: 'Undo' }).click()
    await expect(card).toHaveCount(1)
  })
})
