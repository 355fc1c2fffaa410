import { expect, type Page } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { test } from '../support/stage.ts'

// Several devices, of which each may wait, and an Undo that is waited for.
test.setTimeout(120_000)

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
  // It stays for as long as the other device may take its deletion back.
  await expect.poll(() => receivedBytes(bob.page), { timeout: 45_000 }).toBe(0)
})

test('what was received stays received: after a reload, without its sender, and when the page comes back', async ({
  device,
  folder,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { own: 'chromium', phone: true })
  const plan = await folder.file('plan.pdf', 2 * MB)
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  const picture = { name: 'view.png', mimeType: 'image/png', buffer: await ada.page.screenshot() }
  await ada.sharesFiles(plan)
  await ada.picker().setInputFiles(picture)
  await bob.takes(plan)
  await bob.has(plan)
  await showsPicture(bob)
  await ada.page.close()
  await bob.seesDevices(1)

  await bob.page.reload()
  await expect(bob.card(plan.name).getByText('Complete', { exact: true })).toBeVisible()
  expect(await bob.savedSha256(plan)).toBe(plan.sha256)
  await showsPicture(bob)

  // Another beam frees nothing of the first one.
  const cleo = await device('Cleo')
  await bob.opens(await cleo.startsBeam())
  await bob.seesNothingOf(plan.name)
  await bob.opens(link)
  await bob.has(plan)
  await showsPicture(bob)
  expect(await bob.savedSha256(plan)).toBe(plan.sha256)
})

async function showsPicture(device: Device): Promise<void> {
  const shown = device.page.getByRole('img', { name: 'view.png' })
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0)
}

test('a file that is only in memory says so, and is offered again after a reload', async ({
  device,
  folder,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  // As in a private window that refuses the disk.
  await bob.page.addInitScript(() => {
    const code = (text: string) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
    const without = code('delete FileSystemFileHandle.prototype.createSyncAccessHandle')
    const Original = window.Worker
    window.Worker = class extends Original {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(code(`import ${JSON.stringify(without)}; import ${JSON.stringify(String(url))}`), options)
      }
    }
  })
  const plan = await folder.file('plan.pdf', 1 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(plan)
  await bob.takes(plan)
  await expect(bob.card(plan.name).getByText('Complete, but only in this tab')).toBeVisible()
  await bob.page.reload()
  await expect(bob.card(plan.name).getByRole('button', { name: 'Receive' })).toBeVisible()
})
