import { expect, type Page } from '@playwright/test'
import { MB } from '../support/files.ts'
import { test } from '../support/stage.ts'

/** Returns the bytes of received files in the browser's own disk space. */
async function receivedBytes(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    const sizeOf = async (folder: FileSystemDirectoryHandle): Promise<number> => {
      let bytes = 0
      for await (const entry of folder.values()) {
        bytes += entry instanceof FileSystemFileHandle ? (await entry.getFile()).size : 0
        if (entry instanceof FileSystemDirectoryHandle) bytes += await sizeOf(entry)
      }
      return bytes
    }
    const root = await navigator.storage.getDirectory()
    return await sizeOf(await root.getDirectoryHandle('received'))
  })
}

test('a received file is removed from the disk when its item is deleted', async ({ device, folder }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { own: 'chromium' })
  const film = await folder.file('film.bin', 3 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.has(film)
  expect(await receivedBytes(bob.page)).toBe(film.size)

  await ada.card(film.name).click()
  await ada.page.keyboard.press('Delete')
  await bob.seesNothingOf(film.name)
  await expect.poll(() => receivedBytes(bob.page)).toBe(0)
})
