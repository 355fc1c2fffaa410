import { expect } from '@playwright/test'
import { Device, LARGE_FILE_MS } from '../support/device.ts'
import { MB, type TestFile } from '../support/files.ts'
import { asksAfterReload, ownDiskFilm, picksFromOwnDisk, sharesFromOwnDisk } from '../support/own-disk.ts'
import { directBytesReceived } from '../support/paths.ts'
import { type CallDevice, test } from '../support/stage.ts'

const MIB = 1024 * 1024
/** The largest window (F4): what a page that ends may have received and not entered in its journal. */
const WINDOW = 32 * MIB

/** Ada shares a film, of which Bob has received a part: half of it, or so many percent. */
async function partReceived(
  device: CallDevice,
  film: TestFile,
  own: 'chromium' | 'firefox' = 'chromium',
  percent = 50,
) {
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own })
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.reaches(film, percent)
  return { ada, bob, link }
}

/** The page that has opened since has received the rest only, and without a tap. */
async function hasGoneOn(bob: Device, film: TestFile): Promise<void> {
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  const received = await directBytesReceived(bob.page)
  expect(received).toBeGreaterThan(0)
  expect(received).toBeLessThan(0.5 * film.size + 1.05 * WINDOW)
}

for (const own of ['chromium', 'firefox'] as const) {
  test(`${own} goes on with what it receives after a reload`, async ({ device, folder }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const film = await folder.file('film.bin', 200 * MB)
    const { bob } = await partReceived(device, film, own)
    await bob.page.reload()
    await hasGoneOn(bob, film)
  })
}

test('a receiver goes on when the sender, whose page was reloaded, has chosen the file again', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const film = await folder.file('film.bin', 200 * MB)
  const { ada, bob } = await partReceived(device, film)
  const before = await directBytesReceived(bob.page)
  await ada.page.reload()
  await expect(bob.file(film).getByText(/no longer has this file/)).toBeVisible()
  await ada.card(film.name).getByLabel('Choose film.bin again').setInputFiles(film.path)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect((await directBytesReceived(bob.page)) - before).toBeLessThan(0.5 * film.size + 1.05 * WINDOW)
})

for (const asks of [false, true]) {
  const how = asks ? 'after one press' : 'by itself'
  test(`a receiver goes on when the sender is reloaded, whose browser knows where the file lies, ${how}`, async ({
    device,
  }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const film = ownDiskFilm('film.bin', 200 * MB)
    const ada = await device('Ada', { own: 'chromium' })
    const bob = await device('Bob', { own: 'chromium' })
    await ada.page.addInitScript(picksFromOwnDisk, [film.name, film.size] as const)
    if (asks) await ada.page.addInitScript(asksAfterReload)
    const link = await ada.startsBeam()
    await bob.opens(link)
    await ada.seesDevices(2)
    await sharesFromOwnDisk(ada)
    await bob.takes(film)
    await bob.reaches(film, 50)

    await ada.page.reload()
    if (asks) await ada.card(film.name).getByRole('button', { name: 'Offer it again' }).click()
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    const received = await directBytesReceived(bob.page)
    expect(received).toBeLessThan(film.size + 1.05 * WINDOW)
    await expect(ada.card(film.name).getByText('Complete')).toBeVisible()
  })
}

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
  const film = await folder.file('film.bin', 200 * MB)
  const { bob, link } = await partReceived(device, film)
  await crashes(bob)
  await hasGoneOn(await opensNewTab(bob, link), film)
})

test('a new tab goes on with what was received in one that was left for another page', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const film = await folder.file('film.bin', 200 * MB)
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
    const film = await folder.file('film.bin', 200 * MB)
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
    const { bob, link } = await partReceived(device, film, 'chromium', percent)
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
      const { ada, bob } = await partReceived(device, film, 'chromium', percent)
      await ada.page.reload()
      await ada.card(film.name).getByLabel('Choose film.bin again').setInputFiles(film.path)
      expect(await bob.savedSha256(film)).toBe(film.sha256)
    },
  )
}
