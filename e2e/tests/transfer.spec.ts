import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { reachesInList } from '../support/sealing.ts'
import { test } from '../support/stage.ts'

test.describe('files', () => {
  test.setTimeout(LARGE_FILE_MS + 60_000)

  for (const [from, to] of [
    ['chromium', 'chromium'],
    ['chromium', 'firefox'],
    ['firefox', 'chromium'],
  ] as const) {
    test(`60 MB go straight from ${from} to ${to}, bit for bit`, async ({ device, folder }) => {
      const ada = await device('Ada', { own: from })
      const bob = await device('Bob', { own: to })
      // More than a window (F4), so that it moves.
      const film = await folder.file('film.bin', 60 * MB)
      await bob.opens(await ada.startsBeam())
      await ada.seesDevices(2)
      for (const one of [ada, bob]) await reachesInList(one, 'Direct')

      await ada.keepsToasts()
      await ada.sharesFiles(film)
      await bob.takes(film)
      await bob.reaches(film, 1)
      await bob.seesPath(film, 'Direct')
      expect(await bob.savedSha256(film)).toBe(film.sha256)
      await ada.seesToast('Uploaded "film.bin" Successfully!')
    })
  }

  test('a small file arrives', { tag: '@everywhere' }, async ({ device, folder }) => {
    const ada = await device('Ada')
    const bob = await device('Bob', { phone: true })
    const note = await folder.file('note.bin', 70_001)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)

    await ada.keepsToasts()
    await ada.sharesFiles(note)
    await ada.seesToast('Uploading note.bin')
    await bob.takes(note)
    expect(await bob.savedSha256(note)).toBe(note.sha256)
  })

  test('an empty file arrives', async ({ device, folder }) => {
    const ada = await device('Ada')
    const bob = await device('Bob')
    const nothing = await folder.file('nothing.bin', 0)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)

    await ada.sharesFiles(nothing)
    await bob.takes(nothing)
    expect(await bob.savedSha256(nothing)).toBe(nothing.sha256)
  })

  test('several files go at once, in both directions', async ({ device, folder }) => {
    const ada = await device('Ada', { own: 'chromium' })
    const bob = await device('Bob', { own: 'chromium' })
    const adas = [await folder.file('a1.bin', 20 * MB), await folder.file('a2.bin', 7 * MB + 1)]
    const bobs = [await folder.file('b1.bin', 20 * MB), await folder.file('b2.bin', 16_384)]
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)

    await ada.sharesFiles(...adas)
    await bob.sharesFiles(...bobs)
    for (const file of adas) await bob.takes(file)
    for (const file of bobs) await ada.takes(file)
    for (const file of adas) expect(await bob.savedSha256(file)).toBe(file.sha256)
    for (const file of bobs) expect(await ada.savedSha256(file)).toBe(file.sha256)
  })

  test('two devices take the same file', async ({ device, folder }) => {
    const ada = await device('Ada')
    const bob = await device('Bob')
    const cyd = await device('Cyd')
    const film = await folder.file('film.bin', 5 * MB)
    const link = await ada.startsBeam()
    await bob.opens(link)
    await cyd.opens(link)
    await ada.seesDevices(3)

    await ada.sharesFiles(film)
    await bob.takes(film)
    await cyd.takes(film)
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    expect(await cyd.savedSha256(film)).toBe(film.sha256)
  })

  test('a picture is received automatically and shown', async ({ device }) => {
    const ada = await device('Ada')
    const bob = await device('Bob')
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)

    const picture = await ada.page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 48 } })
    await ada.picker().setInputFiles({ name: 'view.png', mimeType: 'image/png', buffer: picture })
    const shown = bob.page.getByRole('article').getByRole('img')
    await expect
      .poll(() =>
        shown.evaluateAll((all) =>
          all.some((img) => img instanceof HTMLImageElement && img.naturalWidth === 64),
        ),
      )
      .toBe(true)
  })
})
