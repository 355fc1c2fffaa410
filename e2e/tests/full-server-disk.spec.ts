/** R4: the server's disk is full in the middle of an upload, and has room again later. */
import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { isStoredWhole, partStored } from '../support/kept-upload.ts'
import { ownDiskFilm } from '../support/own-disk.ts'
import { Server } from '../support/server.ts'
import { SmallDisk } from '../support/small-disk.ts'
import { test as base } from '../support/stage.ts'
import { Wire } from '../support/wire.ts'

const FILM = ownDiskFilm('film.bin', 60 * MB)

/** The disk of the server, which has room for twice the film. */
const test = base.extend<object, { disk: SmallDisk; server: Server }>({
  disk: [
    async ({ browserName: _ }, use) => {
      const disk = await SmallDisk.make(2 * FILM.size)
      await use(disk)
      await disk.remove()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ disk }, use) => {
      const server = await Server.start({}, undefined, disk.folder)
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
})

test.setTimeout(2 * LARGE_FILE_MS)
test.skip(process.getuid?.() !== 0, 'makes a disk, which only root may do: sudo make test')

test('r4_an_upload_goes_on_where_it_stopped_once_the_full_disk_of_the_server_has_room_again', async ({
  disk,
  device,
  server,
}) => {
  const wire = await Wire.to(server.origin)
  try {
    const { ada, bob, uploads } = await partStored(device, server, wire, FILM)
    const refused = ada.page.waitForResponse(
      (answer) => answer.url().includes('/tus/') && answer.status() === 507,
    )
    await disk.fills()
    await refused
    await expect(ada.card(FILM.name).getByText('Only on this device. This beam has no copy.')).toBeVisible()
    await expect(bob.card(FILM.name).getByText(/^Only on .*\. This beam has no copy\.$/)).toBeVisible()

    const before = uploads.offsets.length
    await disk.hasRoomAgain()
    wire.slowsTo(Number.POSITIVE_INFINITY)
    await isStoredWhole(bob, ada, FILM)
    expect(uploads.begun).toBe(1)
    expect(uploads.offsets[before]).toBeGreaterThan(FILM.size / 3 - 8 * 1024 * 1024)
    expect(server.log).not.toContain('panicked')
  } finally {
    await wire.close()
  }
})
