import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { isStoredWhole, partStored, staged } from '../support/kept-upload.ts'
import { ownDiskFilm } from '../support/own-disk.ts'
import { reachesInList } from '../support/sealing.ts'
import { test } from '../support/stage.ts'
import { Wire } from '../support/wire.ts'

const MIB = 1024 * 1024
/** The server makes an upload safe after so many bytes at the latest. */
const SAVED_EVERY = 8 * MIB
const FILM = ownDiskFilm('film.bin', 60 * MB)

test.setTimeout(2 * LARGE_FILE_MS)

test('r6_a_stored_copy_goes_on_where_it_stopped_after_the_server_was_killed', async ({ device, server }) => {
  const wire = await Wire.to(server.origin)
  try {
    const { ada, bob, uploads } = await partStored(device, server, wire, FILM)

    await server.dies()
    const stopped = uploads.offsets.length
    await server.up()
    await expect.poll(() => uploads.offsets.length, { timeout: LARGE_FILE_MS }).toBeGreaterThan(stopped)
    wire.slowsTo(Number.POSITIVE_INFINITY)

    await isStoredWhole(bob, ada, FILM)
    expect(uploads.begun).toBe(1)
    expect(uploads.offsets[stopped]).toBeGreaterThan(20 * MB - SAVED_EVERY)
  } finally {
    await wire.close()
  }
})

test('r5_a_stored_copy_goes_on_where_it_stopped_after_a_reload', async ({ device, server }) => {
  const wire = await Wire.to(server.origin)
  try {
    const { ada, bob, uploads } = await partStored(device, server, wire, FILM)

    const stopped = uploads.offsets.length
    await ada.page.reload()
    await expect.poll(() => uploads.offsets.length, { timeout: LARGE_FILE_MS }).toBeGreaterThan(stopped)
    wire.slowsTo(Number.POSITIVE_INFINITY)

    await isStoredWhole(bob, ada, FILM)
    expect(uploads.begun).toBe(1)
    // What came of the piece that the reload broke off is safe too.
    expect(uploads.offsets[stopped]).toBeGreaterThan(20 * MB - SAVED_EVERY)
  } finally {
    await wire.close()
  }
})

test('f9_a_device_that_comes_while_a_file_is_uploaded_receives_it_and_the_same_upload_goes_on', async ({
  device,
  server,
}) => {
  const wire = await Wire.to(server.origin)
  try {
    const { ada, link, uploads } = await partStored(device, server, wire, FILM, { isAlone: true })
    wire.slowsTo(MB)
    const carol = await device('Carol', { own: 'chromium' })
    await carol.opens(link)
    // A film that came over the slow wire would be here only after the copy is whole.
    await reachesInList(carol, 'Direct')
    wire.slowsTo(0.3 * MB)
    await carol.takes(FILM)
    expect(await carol.savedSha256(FILM)).toBe(FILM.sha256)
    expect(await staged(server)).toBeLessThan(FILM.size)
    expect(await staged(server)).toBeGreaterThan(0)

    wire.slowsTo(Number.POSITIVE_INFINITY)
    await expect.poll(() => staged(server), { timeout: LARGE_FILE_MS }).toBe(0)
    const dora = await device('Dora', { own: 'chromium' })
    await dora.opens(link)
    await isStoredWhole(dora, ada, FILM)
    expect(uploads.begun).toBe(1)
  } finally {
    await wire.close()
  }
})
