/** A file that Ada shares in a kept beam, of which the server stores a copy meanwhile. */
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { type Device, LARGE_FILE_MS } from './device.ts'
import { MB, type TestFile } from './files.ts'
import { picksFromOwnDisk, sharesFromOwnDisk } from './own-disk.ts'
import type { Server } from './server.ts'
import type { CallDevice } from './stage.ts'
import type { Wire } from './wire.ts'

/** Bytes that the server has of unfinished uploads. */
export async function staged(server: Server): Promise<number> {
  const folder = join(dirname(server.blobs), 'staging')
  const files = await readdir(folder).catch(() => [])
  const sizes = files.map(async (name) => (await stat(join(folder, name)).catch(() => ({ size: 0 }))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Counts the uploads that a page begins, and where it goes on with them. */
function watchUploads(page: Page) {
  const seen = { begun: 0, offsets: [] as number[] }
  page.on('request', (request) => {
    if (!request.url().includes('/tus/')) return
    if (request.method() === 'POST') seen.begun += 1
    if (request.method() === 'PATCH') seen.offsets.push(Number(request.headers()['upload-offset']))
  })
  return seen
}

/** Ada and Bob are in a kept beam, to which Ada comes by an address that may be that of a wire. */
export async function inKeptBeam(device: CallDevice, by = (link: string) => link) {
  const bob = await device('Bob', { own: 'chromium' })
  const link = await bob.startsBeam()
  await bob.sharesText('Door code 4417')
  await bob.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
  const ada = await device('Ada', { own: 'chromium' })
  await ada.opens(by(link))
  await ada.seesDevices(2)
  return { ada, bob, link }
}

/**
 * Ada, whose wire is slow, has shared a film in a kept beam, and a third of its copy is at the server.
 * @param isAlone whether Bob has left before
 */
export async function partStored(
  device: CallDevice,
  server: Server,
  wire: Wire,
  film: TestFile,
  { isAlone = false } = {},
) {
  const { ada, bob, link } = await inKeptBeam(device, (address) => wire.by(address))
  if (isAlone) {
    await bob.context.close()
    await ada.seesDevices(1)
  }
  await ada.page.evaluate(picksFromOwnDisk, [film.name, film.size] as const)
  const uploads = watchUploads(ada.page)
  wire.slowsTo(6 * MB)
  await sharesFromOwnDisk(ada)
  // The film is written on her disk before.
  if (!isAlone) await bob.sees(film.name, { timeout: LARGE_FILE_MS })
  await expect.poll(() => staged(server), { timeout: LARGE_FILE_MS }).toBeGreaterThan(film.size / 3)
  return { ada, bob, link, uploads }
}

/** The copy is whole: Bob gets it from the server once Ada has left. */
export async function isStoredWhole(bob: Device, ada: Device, film: TestFile): Promise<void> {
  // He hears of the copy once it is complete.
  await bob.has(film)
  await ada.context.close()
  await bob.card(film.name).hover()
  expect(await bob.savedSha256(film)).toBe(film.sha256)
}
