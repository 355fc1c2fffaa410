import { expect } from '@playwright/test'
import { MB } from '../support/files.ts'
import { hasDirectLink, relayedBytes } from '../support/paths.ts'
import { reachesInList } from '../support/sealing.ts'
import { test } from '../support/stage.ts'
import { meetThroughServer } from '../support/through-server.ts'
import { Wire } from '../support/wire.ts'

const MBIT_PER_SECOND = 125_000

test('three files through the server over 1 Mbit/s all arrive, and nothing is sent twice', async ({
  device,
  folder,
  server,
}) => {
  test.setTimeout(180_000)
  const wire = await Wire.to(server.origin)
  try {
    const ada = await device('Ada')
    const bob = await device('Bob')
    const files = [
      await folder.file('a.bin', 1.5 * MB),
      await folder.file('b.bin', 1.5 * MB),
      await folder.file('c.bin', 1.5 * MB),
    ]
    await meetThroughServer(ada, bob, server, wire)
    await ada.sharesFiles(...files)
    wire.slowsTo(MBIT_PER_SECOND)
    for (const file of files) await bob.takes(file)

    for (const file of files) expect(await bob.savedSha256(file)).toBe(file.sha256)
    for (const file of files) await bob.seesPath(file, 'via server')
    const size = files.reduce((sum, file) => sum + file.size, 0)
    expect(await relayedBytes(ada.page)).toBeLessThanOrEqual(1.02 * size)
  } finally {
    await wire.close()
  }
})

test('what is late of a cancelled file keeps the wire alive: the next file is sent once', async ({
  device,
  folder,
  server,
}) => {
  test.setTimeout(180_000)
  const wire = await Wire.to(server.origin)
  try {
    const ada = await device('Ada')
    const bob = await device('Bob')
    const film = await folder.file('film.bin', 4 * MB)
    const note = await folder.file('note.bin', MB)
    await meetThroughServer(ada, bob, server, wire)
    await ada.sharesFiles(film, note)
    wire.slowsTo(MBIT_PER_SECOND)
    await bob.takes(film)
    await expect.poll(() => relayedBytes(ada.page), { timeout: 60_000 }).toBeGreaterThan(0.5 * MB)
    await bob.cancels(film)
    await expect(ada.card(film.name).getByText(/cancel/i)).toBeVisible()
    const before = await relayedBytes(ada.page)
    await bob.takes(note)

    expect(await bob.savedSha256(note)).toBe(note.sha256)
    expect((await relayedBytes(ada.page)) - before).toBeLessThanOrEqual(1.02 * note.size)
  } finally {
    await wire.close()
  }
})

test('a socket that is cut in the middle of an offer ends with a direct link', async ({
  device,
  folder,
  server,
}) => {
  test.setTimeout(120_000)
  const wire = await Wire.to(server.origin)
  try {
    const ada = await device('Ada')
    const bob = await device('Bob')
    const note = await folder.file('note.bin', MB)
    const link = await ada.startsBeam()
    // The new device makes the offer, so the first signal that it receives is the answer.
    wire.cutsAt('"type":"signal"')
    await bob.opens(wire.by(link))
    await expect.poll(() => wire.hasCut).toBe(true)

    await expect.poll(() => hasDirectLink(bob.page), { timeout: 20_000 }).toBe(true)
    for (const one of [ada, bob]) await reachesInList(one, 'Direct')

    await ada.sharesFiles(note)
    await bob.takes(note)
    await bob.seesPath(note, 'Direct')
    expect(await bob.savedSha256(note)).toBe(note.sha256)
  } finally {
    await wire.close()
  }
})
