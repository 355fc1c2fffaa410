import { expect } from '@playwright/test'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import { type Folder, MB, type TestFile } from '../support/files.ts'
import { hasForgottenReceived } from '../support/own-disk.ts'
import { directBytesReceived } from '../support/paths.ts'
import { type CallDevice, test } from '../support/stage.ts'

/** Ada shares a film, which Bob is offered. */
async function offered(device: CallDevice, folder: Folder) {
  const film = await folder.file('film.bin', 160 * MB)
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium' })
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  return { ada, bob, film, link }
}

const button = (device: Device, film: TestFile, name: string) =>
  device.file(film).getByRole('button', { name, exact: true })

/** Waits until what was on its way has arrived, and returns how many bytes have. */
async function restsAt(device: Device): Promise<number> {
  let before = -1
  await expect
    .poll(
      async () => {
        const now = await directBytesReceived(device.page)
        const isSame = now === before
        before = now
        return isSame
      },
      { intervals: [500] },
    )
    .toBe(true)
  return before
}

test('f18_a_transfer_is_paused_by_its_receiver_stays_so_after_a_reload_and_goes_on', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const { ada, bob, film } = await offered(device, folder)
  await Promise.all([bob.pausesAt(film, 20), bob.takes(film)])
  await expect(button(bob, film, 'Resume')).toBeVisible()
  await expect(ada.card(film.name).getByText(/^Paused by Chrome on /)).toBeVisible()
  const here = await restsAt(bob)

  await bob.page.reload()
  await expect(button(bob, film, 'Resume')).toBeVisible()
  expect(await directBytesReceived(bob.page)).toBe(0)
  await button(bob, film, 'Resume').click()
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(await directBytesReceived(bob.page)).toBeLessThan(1.05 * film.size - 0.5 * here)
})

test('f18_a_transfer_is_paused_by_its_sender_and_goes_on_when_it_is_resumed_there', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const { ada, bob, film } = await offered(device, folder)
  await Promise.all([ada.pausesAt(film, 20), bob.takes(film)])
  await expect(bob.file(film).getByText(/^Paused by Chrome on /)).toBeVisible()
  await expect(button(bob, film, 'Resume')).toHaveCount(0)
  await restsAt(bob)
  await ada.card(film.name).getByRole('button', { name: 'Resume' }).click()
  expect(await bob.savedSha256(film)).toBe(film.sha256)
})

test('the list of transfers pauses all of them, and shows in any beam what waits for another', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const { ada, bob, film } = await offered(device, folder)
  // All of it may come while the list is opened, so its sender pauses it until then.
  await Promise.all([ada.pausesAt(film, 1), bob.takes(film)])
  await expect(bob.file(film).getByText(/^Paused by Chrome on /)).toBeVisible()
  const before = await bob.progress(film)
  await openTransfers(bob)
  const list = bob.page.getByRole('dialog', { name: 'Transfers' })
  await expect(list).toBeVisible()
  await Promise.all([bob.pausesAllAt(film, before + 1), ada.resumes(film)])
  await expect(list.getByRole('button', { name: 'Resume all' })).toBeVisible()
  await bob.page.keyboard.press('Escape')
  await expect(ada.card(film.name).getByText(/^Paused by Chrome on /)).toBeVisible()

  await leavesForANewBeam(bob, film)
  await openTransfers(bob)
  const waits = list.getByRole('region', { name: 'In other beams' }).getByRole('listitem')
  await expect(waits.getByText(/of 160 MB/)).toBeVisible()
  await waits.getByRole('button', { name: /^Open the beam/ }).click()

  await button(bob, film, 'Resume').click()
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  await openTransfersIfAny(bob)
})

test('what waits for another beam is removed once its person has said so twice', async ({
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const { bob, film, link } = await offered(device, folder)
  await Promise.all([bob.pausesAt(film, 20), bob.takes(film)])
  await expect(button(bob, film, 'Resume')).toBeVisible()
  await leavesForANewBeam(bob, film)
  await openTransfers(bob)
  const list = bob.page.getByRole('dialog', { name: 'Transfers' })
  await list.getByRole('button', { name: 'Remove film.bin' }).click()
  await list.getByRole('button', { name: 'Keep it' }).click()
  await list.getByRole('button', { name: 'Remove film.bin' }).click()
  await list.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(list.getByText('Nothing is being transferred, and nothing waits.')).toBeVisible()
  await hasForgottenReceived(bob.page)

  await bob.opens(link)
  await expect(button(bob, film, 'Receive')).toBeVisible()
})

async function leavesForANewBeam(device: Device, film: TestFile): Promise<void> {
  await device.page.getByRole('button', { name: 'Beam', exact: true }).click()
  await device.page.getByRole('menuitem', { name: 'New Beam' }).click()
  await expect(device.file(film)).toHaveCount(0)
}

async function openTransfers({ page }: Device): Promise<void> {
  await page.getByRole('button', { name: 'Beam', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Transfers' }).click()
}

/** Nothing moves and nothing waits, so there is no list. */
async function openTransfersIfAny({ page }: Device): Promise<void> {
  await page.getByRole('button', { name: 'Beam', exact: true }).click()
  await expect(page.getByRole('menuitem', { name: 'New Beam' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Transfers' })).toHaveCount(0)
}
