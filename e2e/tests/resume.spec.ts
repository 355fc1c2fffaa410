import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { Device, LARGE_FILE_MS } from '../support/device.ts'
import { type Folder, MB, sha256Of, type TestFile } from '../support/files.ts'
import {
  downloads,
  hasOnOwnDisk,
  makeTree,
  pretendPickers,
  unzip,
  withoutPickers,
} from '../support/folders.ts'
import {
  asksAfterReload,
  isKeptForLater,
  ownDiskFilm,
  picksFromOwnDisk,
  sharesFromOwnDisk,
} from '../support/own-disk.ts'
import { directBytesReceived } from '../support/paths.ts'
import { type CallDevice, test } from '../support/stage.ts'

const MIB = 1024 * 1024
/** The largest window (F4): what a page that ends may have received and not entered in its journal. */
const WINDOW = 32 * MIB
/** Large enough that a page ends before all of it has come, also where the machine is busy. */
const SIZE = 162 * MB
/** The rest and a window are less than all of it, so a transfer that begins anew is noticed. */
const PART = 30

/** Ada offers a film to Bob. */
async function offered(device: CallDevice, film: TestFile, own: 'chromium' | 'firefox' = 'chromium') {
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own })
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  return { ada, bob, link }
}

/** Bob takes it, and so many percent have come. */
async function partReceived(device: CallDevice, film: TestFile, percent = PART) {
  const { ada, bob, link } = await offered(device, film)
  await bob.takes(film)
  await bob.reaches(film, percent)
  return { ada, bob, link }
}

/** What a page may receive that goes on where that part had come. */
function restOf(film: TestFile): number {
  return (1 - PART / 100) * film.size + 1.05 * WINDOW
}

/** The page that has opened since has received the rest only, and without a tap. */
async function hasGoneOn(bob: Device, film: TestFile): Promise<void> {
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  const received = await directBytesReceived(bob.page)
  expect(received).toBeGreaterThan(0)
  expect(received).toBeLessThan(restOf(film))
}

for (const own of ['chromium', 'firefox'] as const) {
  test(`${own} goes on with what it receives after a reload`, async ({ device, folder }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const film = await folder.file('film.bin', SIZE)
    const { bob } = await offered(device, film, own)
    await Promise.all([bob.reloadsAt(film, PART), bob.takes(film)])
    await hasGoneOn(bob, film)
  })
}

/** The page that has reloaded has told the other device that it has the file no more. Nothing of it comes until it has again. */
async function isMissedBy(bob: Device, film: TestFile): Promise<void> {
  const told = bob.file(film).getByText(/no longer has this file/)
  await expect(told).toBeVisible({ timeout: LARGE_FILE_MS })
}

test('a receiver goes on when the sender, whose page was reloaded, has chosen the file again', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const film = await folder.file('film.bin', SIZE)
  const { ada, bob } = await offered(device, film)
  await Promise.all([ada.reloadsAt(film, PART), bob.takes(film)])
  await isMissedBy(bob, film)
  const before = await directBytesReceived(bob.page)
  await ada.card(film.name).getByLabel('Choose film.bin again').setInputFiles(film.path)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect((await directBytesReceived(bob.page)) - before).toBeLessThan(restOf(film))
})

for (const asks of [false, true]) {
  const how = asks ? 'after one press' : 'by itself'
  test(`a receiver goes on when the sender is reloaded, whose browser knows where the file lies, ${how}`, async ({
    device,
  }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const film = ownDiskFilm('film.bin', SIZE)
    const ada = await device('Ada', { own: 'chromium' })
    const bob = await device('Bob', { own: 'chromium' })
    await ada.page.addInitScript(picksFromOwnDisk, [film.name, film.size] as const)
    if (asks) await ada.page.addInitScript(asksAfterReload)
    const link = await ada.startsBeam()
    await bob.opens(link)
    await ada.seesDevices(2)
    await sharesFromOwnDisk(ada)
    // It is written on her disk before.
    await bob.sees(film.name, { timeout: LARGE_FILE_MS })
    await isKeptForLater(ada.page)
    await Promise.all([ada.reloadsAt(film, 50), bob.takes(film)])
    if (asks) await ada.card(film.name).getByRole('button', { name: 'Offer it again' }).click()
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    const received = await directBytesReceived(bob.page)
    expect(received).toBeLessThan(film.size + 1.05 * WINDOW)
    await expect(ada.card(film.name).getByText('Complete')).toBeVisible()
  })
}

/** A folder of so many files of so many bytes, some of them in folders of their own. No two files are equal. */
async function filledFolder(folder: Folder, files: number, bytes: number): Promise<TestFile> {
  const path = join(folder.path, 'Photos')
  await makeTree(
    path,
    new Map([
      ['2025/', null],
      ['2026/June/', null],
      ['Empty/', null],
    ]),
  )
  for (let at = 0; at < files; at += 1) {
    const inside = ['', '2025/', '2026/June/'][at % 3]
    await folder.file(`Photos/${inside}${at}.bin`, bytes)
  }
  return { name: 'Photos', path, size: files * bytes, sha256: '' }
}

/** The SHA-256 of each file in a folder, by its path. */
async function sumsIn(path: string): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(path, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sums = files.sort().map(async (file) => [file.slice(path.length), await sha256Of(file)] as const)
  return Object.fromEntries(await Promise.all(sums))
}

/** Bob has received the folder whole. */
async function hasFolderLike(bob: Device, photos: TestFile, folder: Folder): Promise<void> {
  const save = bob.card(photos.name).getByRole('button', { name: 'Save all' })
  await expect(save).toBeVisible({ timeout: LARGE_FILE_MS })
  const out = join(folder.path, 'out')
  await unzip(await downloads(bob, save, folder.path), out)
  expect(await sumsIn(join(out, photos.name))).toEqual(await sumsIn(photos.path))
}

test('f17_a_receiver_goes_on_with_a_folder_when_the_sender_whose_page_was_reloaded_has_chosen_it_again', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const photos = await filledFolder(folder, 300, SIZE / 300)
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium' })
  await withoutPickers(bob)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.page.getByLabel('Choose folder', { exact: true }).setInputFiles(photos.path)
  await Promise.all([ada.reloadsAt(photos, PART), bob.takes(photos)])
  await isMissedBy(bob, photos)
  const before = await directBytesReceived(bob.page)
  const again = ada.card(photos.name).getByLabel('Choose Photos again')
  const other = join(folder.path, 'elsewhere', 'Photos')
  await makeTree(other, new Map([['0.bin', 'another file']]))
  await again.setInputFiles(other)
  await ada.seesToast(/^299 files of “Photos” are missing: .+ Choose them as well\.$/)
  await again.setInputFiles(photos.path)
  await hasFolderLike(bob, photos, folder)
  expect((await directBytesReceived(bob.page)) - before).toBeLessThan(restOf(photos))
})

test('f17_a_folder_whose_place_the_browser_knows_is_offered_again_after_one_press', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium' })
  await pretendPickers(ada)
  await ada.page.addInitScript(asksAfterReload)
  await withoutPickers(bob)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  const tree = new Map(Array.from({ length: 20 }, (_, at) => [`${at % 3}/${at}.txt`, `text ${at}`] as const))
  await makeTree(join(folder.path, 'picked'), tree)
  await hasOnOwnDisk(ada, tree)
  await ada.page.getByRole('button', { name: 'Share', exact: true }).click()
  await ada.page.getByRole('menuitem', { name: 'Folder' }).click()
  await bob.card('picked').waitFor()
  await isKeptForLater(ada.page)
  await ada.page.reload()
  await ada.card('picked').getByRole('button', { name: 'Offer it again' }).click()
  await bob.card('picked').getByRole('button', { name: 'Receive', exact: true }).click()
  const picked = { name: 'picked', path: join(folder.path, 'picked'), size: 0, sha256: '' }
  await hasFolderLike(bob, picked, folder)
})

/** Ends a page without a word, as a crash does. */
async function crashes({ page }: Device): Promise<void> {
  const crashed = page.waitForEvent('crash')
  void page.goto('chrome://crash').catch(() => {})
  await crashed
}

/** Bob opens the beam in a new tab of the same browser. */
async function opensNewTab(bob: Device, link: string): Promise<Device> {
  const page = await bob.context.newPage()
  const again = new Device('Bob', page, bob.origin, { phone: false, browser: 'chromium' })
  await again.opens(link)
  return again
}

test('a new tab goes on with what was received before the page crashed', async ({ device, folder }) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const film = await folder.file('film.bin', SIZE)
  const { bob, link } = await partReceived(device, film)
  await crashes(bob)
  await hasGoneOn(await opensNewTab(bob, link), film)
})

test('a new tab goes on with what was received in one that was left for another page', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const film = await folder.file('film.bin', SIZE)
  const { bob, link } = await partReceived(device, film)
  await bob.page.goto('about:blank')
  await hasGoneOn(await opensNewTab(bob, link), film)
})

for (const frozen of ['sender', 'receiver'] as const) {
  test(`a transfer goes on when the page of its ${frozen} was frozen for longer than a stalled link lives`, async ({
    device,
    folder,
  }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const film = await folder.file('film.bin', SIZE)
    const { ada, bob } = await partReceived(device, film)
    const { page, context } = frozen === 'sender' ? ada : bob
    const protocol = await context.newCDPSession(page)
    await protocol.send('Page.setWebLifecycleState', { state: 'frozen' })
    // The test is about this time.
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    await protocol.send('Page.setWebLifecycleState', { state: 'active' })
    expect(await bob.savedSha256(film)).toBe(film.sha256)
  })
}

for (const percent of [1, 99]) {
  const long = { tag: '@long' }
  test(`a new tab goes on after a crash at ${percent} %`, long, async ({ device, folder }) => {
    const film = await folder.file('film.bin', 300 * MB)
    const { bob, link } = await partReceived(device, film, percent)
    await crashes(bob)
    const again = await opensNewTab(bob, link)
    await again.takesUnlessBegun(film)
    expect(await again.savedSha256(film)).toBe(film.sha256)
  })

  test(
    `a receiver goes on when its sender was reloaded at ${percent} % and has the file again`,
    long,
    async ({ device, folder }) => {
      const film = await folder.file('film.bin', 300 * MB)
      const { ada, bob } = await partReceived(device, film, percent)
      await ada.page.reload()
      await ada.card(film.name).getByLabel('Choose film.bin again').setInputFiles(film.path)
      expect(await bob.savedSha256(film)).toBe(film.sha256)
    },
  )
}
