/** The disk of a device fills up while it receives a file. */
import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { directBytesReceived } from '../support/paths.ts'
import { SmallDisk } from '../support/small-disk.ts'
import { test as base } from '../support/stage.ts'

/** Chromium lets a page have three fifths of it, which is more than the file. */
const DISK = 800 * MB
const SIZE = 200 * MB
/** What is left for it: less than the file. */
const LEFT = 120 * MB
/** The largest window (F4): what may be sent again. */
const WINDOW = 32 * 1024 * 1024

const test = base.extend<{ disk: SmallDisk }>({
  disk: async ({ browserName: _ }, use, info) => {
    // Without root it is reported as not run.
    info.skip(process.getuid?.() !== 0, 'makes a disk, which only root may do: sudo make test')
    const disk = await SmallDisk.make(DISK)
    await use(disk)
    await disk.remove()
  },
})

test('r4_a_full_disk_is_told_nothing_is_saved_by_half_and_the_file_goes_on_once_there_is_room', async ({
  disk,
  device,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium', place: disk.folder })
  const film = await folder.file('film.bin', SIZE)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await expect(bob.file(film).getByRole('button', { name: 'Receive' })).toBeVisible()
  await disk.fills(LEFT)

  await bob.takes(film)
  await bob.reads(film, 'There is no space left on this device. Make room, then try again.')
  await ada.reads(film, 'The other device has no room for this file.')
  await expect(bob.file(film).getByRole('link', { name: 'Save' })).toHaveCount(0)
  await expect(bob.file(film).getByText('Complete')).toHaveCount(0)
  const came = await directBytesReceived(bob.page)
  expect(came).toBeLessThan(SIZE)
  // What goes on meanwhile needs no disk.
  await ada.sharesText('still here')
  await bob.sees('still here')

  await disk.hasRoomAgain()
  await bob.file(film).getByRole('button', { name: 'Retry' }).click()
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(await directBytesReceived(bob.page)).toBeLessThan(1.05 * SIZE + WINDOW)
  // The browser has deleted nothing of this site to make room: neither the keys of the beam nor the file.
  await bob.page.reload()
  await bob.sees('still here')
  await expect(bob.file(film).getByRole('link', { name: 'Save' })).toBeVisible()
})
