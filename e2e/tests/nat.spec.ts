/** Devices on networks of their own: behind NATs, on one network, and where UDP or TURN is cut. */
import { expect } from '@playwright/test'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import { MB, type TestFile } from '../support/files.ts'
import { test } from '../support/machines.ts'
import { relayedBytes } from '../support/paths.ts'
import { reachesInList } from '../support/sealing.ts'

/** TURN refuses addresses of documentation, and the networks here have those. */
const TURN = { HELIOGRAPH_TURN: 'embedded', HELIOGRAPH_TURN_ALLOW_PEERS: '203.0.113.0/24' }

// Networks are made, and browsers started in them, before two devices meet.
test.setTimeout(LARGE_FILE_MS)

test('two devices behind NATs that keep ports meet directly', async ({ network, serve, on, folder }) => {
  await serve(network.server, TURN)
  const ada = await on(await (await network.home('preserving')).machine(), 'Ada')
  const bob = await on(await (await network.home('preserving')).machine(), 'Bob')
  await meets(ada, bob, await folder.file('film.bin', 5 * MB), 'Direct')
})

test('behind a symmetric NAT a device is met over TURN', async ({ network, serve, on, folder }) => {
  await serve(network.server, TURN)
  const ada = await on(await (await network.home('symmetric')).machine(), 'Ada')
  const bob = await on(await (await network.home('preserving')).machine(), 'Bob')
  await meets(ada, bob, await folder.file('film.bin', 5 * MB), 'via TURN')
})

test('where a network drops UDP, TURN goes over TCP', async ({ network, serve, on, folder }) => {
  await serve(network.server, TURN)
  const homes = [await network.home('preserving'), await network.home('preserving')] as const
  await homes[0].dropsUdp()
  const ada = await on(await homes[0].machine(), 'Ada')
  const bob = await on(await homes[1].machine(), 'Bob')
  await meets(ada, bob, await folder.file('film.bin', 5 * MB), 'via TURN')
})

test('a file goes on through the server when TURN is cut in the middle', async ({
  network,
  serve,
  on,
  folder,
}) => {
  test.setTimeout(2 * LARGE_FILE_MS)
  await serve(network.server, TURN)
  const ada = await on(await (await network.home('symmetric')).machine(), 'Ada')
  const bob = await on(await (await network.home('symmetric')).machine(), 'Bob')
  // Large enough that TURN is cut before all of it has come.
  const film = await folder.file('film.bin', 120 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const person of [ada, bob]) await reachesInList(person, 'via TURN')
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.reaches(film, 5)
  await bob.seesPath(film, 'via TURN')
  await network.dropsTurn()
  await bob.seesPath(film, 'via server')
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  const relayed = await relayedBytes(ada.page)
  expect(relayed).toBeGreaterThan(0)
  // What had arrived over TURN is not sent again.
  expect(relayed).toBeLessThan(film.size)
})

test('two devices without NAT meet directly', async ({ network, serve, on, folder }) => {
  await serve(network.server, TURN)
  const ada = await on(await network.machine(), 'Ada')
  const bob = await on(await network.machine(), 'Bob')
  await meets(ada, bob, await folder.file('film.bin', 5 * MB), 'Direct')
})

/** Moves a file between two devices, and expects the way that the card names and no other. */
async function meets(ada: Device, bob: Device, film: TestFile, path: 'Direct' | 'via TURN'): Promise<void> {
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const person of [ada, bob]) await reachesInList(person, path)
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.seesPath(film, path)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(await relayedBytes(ada.page)).toBe(0)
}
