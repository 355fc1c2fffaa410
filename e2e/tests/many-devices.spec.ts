import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { type Folder, MB } from '../support/files.ts'
import { directBytes } from '../support/paths.ts'
import { type CallDevice, test } from '../support/stage.ts'

type Own = 'chromium' | 'firefox'

test.setTimeout(2 * LARGE_FILE_MS)

/** Ada shares a film, which Bob has and Cyd is offered. */
async function secondIsOffered(device: CallDevice, folder: Folder, giver: Own, taker: Own, size: number) {
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: giver })
  const cyd = await device('Cyd', { own: taker })
  const film = await folder.file('film.bin', size)
  const link = await ada.startsBeam()
  await bob.opens(link)
  await cyd.opens(link)
  await ada.seesDevices(3)

  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.has(film)
  return { ada, bob, cyd, film }
}

for (const [giver, taker] of [
  ['chromium', 'firefox'],
  ['firefox', 'chromium'],
] as const) {
  test(`f20_${taker}_goes_on_with_what_${giver}_has_when_the_sender_leaves`, async ({ device, folder }) => {
    // Large enough that the link between those who stay opens before all of it has gone through the server.
    const { ada, bob, cyd, film } = await secondIsOffered(device, folder, giver, taker, 150 * MB)
    await cyd.takes(film)
    await cyd.reaches(film, 2)
    await ada.context.close()

    expect(await cyd.savedSha256(film)).toBe(film.sha256)
    expect(await directBytes(bob.page)).toBeGreaterThan(20 * MB)
  })

  test(`f19_${taker}_goes_on_with_what_${giver}_has_when_it_is_reloaded_after_the_sender_has_left`, async ({
    device,
    folder,
  }) => {
    const { ada, bob, cyd, film } = await secondIsOffered(device, folder, giver, taker, 120 * MB)
    await Promise.all([cyd.pausesAt(film, 10), cyd.takes(film)])
    await cyd.reads(film, 'Paused')
    await ada.context.close()
    await bob.seesDevices(2)

    await cyd.page.reload()
    await cyd.resumes(film)
    expect(await cyd.savedSha256(film)).toBe(film.sha256)
  })
}

test('f21_a_device_whose_person_does_not_want_it_passes_nothing_on', async ({ device, folder }) => {
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium' })
  const cyd = await device('Cyd', { own: 'chromium' })
  const film = await folder.file('film.bin', 30 * MB)
  const link = await ada.startsBeam()
  await bob.opens(link)
  await cyd.opens(link)
  await ada.seesDevices(3)

  await bob.page.getByRole('button', { name: '3 devices' }).click()
  await bob.page.getByRole('switch', { name: 'Pass files on' }).uncheck()
  await bob.page.keyboard.press('Escape')
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.has(film)
  const before = await directBytes(bob.page)
  await cyd.takes(film)
  expect(await cyd.savedSha256(film)).toBe(film.sha256)
  expect((await directBytes(bob.page)) - before).toBeLessThan(MB)
})
