import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { directBytesReceived } from '../support/paths.ts'
import { reachesInList } from '../support/sealing.ts'
import { test } from '../support/stage.ts'

test.setTimeout(2 * LARGE_FILE_MS)

test('f22_what_has_begun_to_come_goes_on_from_the_stored_copy_once_the_sender_is_gone', async ({
  device,
  folder,
}) => {
  const ada = await device('Ada', { own: 'chromium' })
  const film = await folder.file('film.bin', 90 * MB)
  const link = await ada.startsBeam()
  await ada.sharesText('Door code 4417')
  await ada.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
  const bob = await device('Bob', { own: 'chromium' })
  await bob.opens(link)
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await reachesInList(one, 'Direct')

  await ada.sharesFiles(film)
  await Promise.all([bob.pausesAt(film, 15), bob.takes(film)])
  await expect(bob.file(film).getByText('Paused')).toBeVisible()
  const before = await directBytesReceived(bob.page)
  // The copy is complete once Ada's card says so.
  await expect(ada.file(film).getByText('Stored')).toBeVisible({ timeout: LARGE_FILE_MS })
  await ada.hasSentAll()
  await ada.context.close()
  const read = bob.page.waitForResponse((answer) => answer.url().includes('/api/uploads/'), {
    // A link that is silent counts as dead after 8 s.
    timeout: LARGE_FILE_MS,
  })
  await bob.file(film).getByRole('button', { name: 'Resume', exact: true }).click()

  expect((await read).status()).toBe(206)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(before).toBeGreaterThan(10 * MB)
})
