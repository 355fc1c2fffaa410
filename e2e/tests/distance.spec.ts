/** Two devices far from each other: one connection carries little there, and the link becomes a bundle (L6). */
import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { test } from '../support/machines.ts'
import { connectionsThatSent } from '../support/paths.ts'

const PAIRS = [
  ['chromium', 'chromium'],
  ['chromium', 'firefox'],
  ['firefox', 'chromium'],
] as const

for (const [from, to] of PAIRS)
  test(`l6_at_50_ms_a_file_goes_over_several_connections from ${from} to ${to}`, async ({
    cabled,
    serve,
    on,
    folder,
  }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const [near, far] = await cabled({ roundTrip: 50 })
    await serve(near, { HELIOGRAPH_TURN: 'off' })
    const at = `https://${near.address}:8443`
    const ada = await on(near, 'Ada', { browser: from, at })
    const bob = await on(far, 'Bob', { browser: to, at })
    const film = await folder.file('film.bin', 20 * MB)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.sharesFiles(film)
    await bob.takes(film)
    await expect
      .poll(() => connectionsThatSent(ada.page, 65_536), { timeout: LARGE_FILE_MS })
      .toBeGreaterThan(1)
    expect(await bob.savedSha256(film)).toBe(film.sha256)
  })

test('l6_a_file_is_whole_where_one_packet_of_two_hundred_is_lost', async ({ cabled, serve, on, folder }) => {
  test.setTimeout(LARGE_FILE_MS + 60_000)
  const [near, far] = await cabled({ roundTrip: 50, loss: 0.5 })
  await serve(near, { HELIOGRAPH_TURN: 'off' })
  const at = `https://${near.address}:8443`
  const [ada, bob] = [await on(near, 'Ada', { at }), await on(far, 'Bob', { at })]
  const film = await folder.file('film.bin', 10 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.takes(film)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
})
