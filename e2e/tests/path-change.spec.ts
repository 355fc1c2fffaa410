import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { cutDirectPaths, relayedBytes } from '../support/paths.ts'
import { reachesInList } from '../support/sealing.ts'
import { test } from '../support/stage.ts'

test('a transfer whose data channel dies at 40 % continues through the server', async ({
  device,
  folder,
}) => {
  test.setTimeout(LARGE_FILE_MS + 60_000)
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium' })
  const film = await folder.file('film.bin', 100 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await reachesInList(one, 'Direct')

  await ada.sharesFiles(film)
  const cutting = cutDirectPaths(ada.page, 0.4 * film.size)
  await bob.takes(film)
  const direct = await cutting
  expect(direct).toBeGreaterThan(0)
  expect(direct).toBeLessThan(film.size)

  await bob.seesPath(film, 'via server')
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  const relayed = await relayedBytes(ada.page)
  // Bytes sent directly during the counting are in neither number; the hash shows that nothing is missing.
  expect(relayed).toBeGreaterThan(0)
  expect(direct + relayed).toBeLessThanOrEqual(1.05 * film.size)
})

test('devices between which no data channel opens use the server', async ({ device, folder }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const note = await folder.file('note.bin', 3 * MB)
  await ada.opensHome()
  await cutDirectPaths(ada.page)
  await bob.opens(await ada.scansOwnQr())
  await ada.seesDevices(2)

  await ada.sharesFiles(note)
  await bob.takes(note)
  await bob.seesPath(note, 'via server')
  expect(await bob.savedSha256(note)).toBe(note.sha256)
  expect(await relayedBytes(ada.page)).toBeGreaterThanOrEqual(note.size)
})
