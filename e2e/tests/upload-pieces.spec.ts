import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { ownDiskFilm, picksFromOwnDisk } from '../support/own-disk.ts'
import type { Server } from '../support/server.ts'
import { type CallDevice, test } from '../support/stage.ts'
import { Wire } from '../support/wire.ts'

const MIB = 1024 * 1024
/** The server makes an upload safe after so many bytes at the latest. */
const SAVED_EVERY = 8 * MIB
const FILM = ownDiskFilm('film.bin', 60 * MB)

test.setTimeout(2 * LARGE_FILE_MS)

/** Bytes that the server has of unfinished uploads. */
async function staged(server: Server): Promise<number> {
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

/** Ada, whose wire is slow, has shared the film in a kept beam, and a third of its copy is at the server. */
async function partStored(device: CallDevice, server: Server, wire: Wire) {
  const bob = await device('Bob', { own: 'chromium' })
  const link = await bob.startsBeam()
  await bob.sharesText('Door code 4417')
  await bob.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
  const ada = await device('Ada', { own: 'chromium' })
  await ada.page.addInitScript(picksFromOwnDisk, [FILM.name, FILM.size] as const)
  await ada.opens(wire.by(link))
  await expect(ada.page.getByText(/^2 devices/).first()).toBeVisible()
  const uploads = watchUploads(ada.page)
  wire.slowsTo(6 * MB)
  await ada.page.getByRole('button', { name: 'Share', exact: true }).click()
  await ada.page.getByRole('menuitem', { name: 'Files' }).click()
  await bob.sees(FILM.name)
  await expect.poll(() => staged(server), { timeout: LARGE_FILE_MS }).toBeGreaterThan(20 * MB)
  return { ada, bob, uploads }
}

async function isStoredWhole(bob: Device, ada: Device): Promise<void> {
  // He hears of the copy once it is complete.
  await bob.has(FILM)
  await ada.context.close()
  await bob.card(FILM.name).hover()
  expect(await bob.savedSha256(FILM)).toBe(FILM.sha256)
}

test('r6_a_stored_copy_goes_on_where_it_stopped_after_the_server_was_killed', async ({ device, server }) => {
  const wire = await Wire.to(server.origin)
  try {
    const { ada, bob, uploads } = await partStored(device, server, wire)

    await server.dies()
    const stopped = uploads.offsets.length
    await server.up()
    await expect.poll(() => uploads.offsets.length, { timeout: LARGE_FILE_MS }).toBeGreaterThan(stopped)
    wire.slowsTo(Number.POSITIVE_INFINITY)

    await isStoredWhole(bob, ada)
    expect(uploads.begun).toBe(1)
    expect(uploads.offsets[stopped]).toBeGreaterThan(20 * MB - SAVED_EVERY)
  } finally {
    await wire.close()
  }
})

test('r5_a_stored_copy_goes_on_where_it_stopped_after_a_reload', async ({ device, server }) => {
  const wire = await Wire.to(server.origin)
  try {
    const { ada, bob, uploads } = await partStored(device, server, wire)

    const stopped = uploads.offsets.length
    await ada.page.reload()
    await expect.poll(() => uploads.offsets.length, { timeout: LARGE_FILE_MS }).toBeGreaterThan(stopped)
    wire.slowsTo(Number.POSITIVE_INFINITY)

    await isStoredWhole(bob, ada)
    expect(uploads.begun).toBe(1)
    // What came of the piece that the reload broke off is safe too.
    expect(uploads.offsets[stopped]).toBeGreaterThan(20 * MB - SAVED_EVERY)
  } finally {
    await wire.close()
  }
})
