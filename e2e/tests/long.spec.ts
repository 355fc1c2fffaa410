import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { cutDirectPaths, relayedBytes } from '../support/paths.ts'
import { test } from '../support/stage.ts'

const long = { tag: '@long' }

test('2 GB go straight from browser to browser, bit for bit', long, async ({ device, folder }) => {
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { own: 'chromium' })
  const film = await folder.file('film.bin', 2000 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)

  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.has(film, 5 * LARGE_FILE_MS)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
})

for (const percent of [1, 25, 60, 85]) {
  test(`a data channel that dies at ${percent} %`, long, async ({ device, folder }) => {
    const ada = await device('Ada', { own: 'chromium' })
    const bob = await device('Bob', { own: 'chromium' })
    const film = await folder.file('film.bin', 300 * MB)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)

    await ada.sharesFiles(film)
    const cutting = cutDirectPaths(ada.page, (percent / 100) * film.size)
    await bob.takes(film)
    const direct = await cutting
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    const relayed = await relayedBytes(ada.page)
    expect(relayed).toBeGreaterThan(0)
    expect(direct + relayed).toBeLessThanOrEqual(1.02 * film.size)
  })
}

test('ten restarts of the server in a row lose no text', long, async ({ device, server }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  // Both have loaded the page whole by then, and have the keys.
  await ada.sharesText('before.')
  await bob.sees('before.')
  for (let round = 0; round < 10; round += 1) {
    await server.down()
    await ada.sharesText(`meanwhile ${round}.`)
    await server.up()
    await bob.sees(`meanwhile ${round}.`)
    await ada.seesDevices(2)
  }
})
