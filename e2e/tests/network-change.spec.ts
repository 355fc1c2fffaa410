/** R9, R10: a device changes its network in the middle of a transfer, and UDP is cut and let through again. */
import { expect } from '@playwright/test'
import { bytesSentTwice } from '../support/details.ts'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import { type Folder, MB, type TestFile } from '../support/files.ts'
import { type Fixtures, test } from '../support/machines.ts'
import type { Machine } from '../support/network.ts'
import { relayedBytes } from '../support/paths.ts'

const TURN = { HELIOGRAPH_TURN: 'embedded', HELIOGRAPH_TURN_ALLOW_PEERS: '203.0.113.0/24' }
/** A transfer whose way is gone goes on over the next one within so many milliseconds, also where the machine is busy. */
const GOES_ON_WITHIN_MS = 30_000
/** Large enough that the network changes before all of it has come. */
const SIZE = 200 * MB
/** The part of a file that a change of its way may cost; of a larger one no more than of this. */
const TWICE = 0.02
const TWICE_OF = 80 * MB

type Staged = Fixtures & { folder: Folder }

test.setTimeout(2 * LARGE_FILE_MS)

test('r9_a_transfer_goes_on_by_itself_when_its_sender_gets_another_address', async ({
  network,
  serve,
  on,
  folder,
}) => {
  await withSenderElsewhere({ network, serve, on, folder })
})

test('r9_little_goes_twice_when_the_sender_gets_another_address', { tag: '@long' }, async ({
  network,
  serve,
  on,
  folder,
}) => {
  const { ada, film } = await withSenderElsewhere({ network, serve, on, folder })
  await sentLittleTwice(ada, film)
})

async function withSenderElsewhere({ network, serve, on, folder }: Omit<Staged, 'cabled'>) {
  await serve(network.server, TURN)
  const machine = await network.machine()
  const ada = await on(machine, 'Ada')
  const bob = await on(await network.machine(), 'Bob')
  const film = await folder.file('film.bin', SIZE)
  await comesTo(bob, ada, film, 20)
  await network.readdresses(machine)
  await goesOn(bob, film)
  await ada.seesDevices(2)
  return { ada, film }
}

test('r9_a_transfer_goes_on_by_itself_when_its_receiver_moves_to_the_network_of_another_home', {
  tag: '@long',
}, async ({ network, serve, on, folder }) => {
  await serve(network.server, TURN)
  const [home, other] = [await network.home('preserving'), await network.home('preserving')]
  const machine = await home.machine()
  const ada = await on(await network.machine(), 'Ada')
  const bob = await on(machine, 'Bob')
  const film = await folder.file('film.bin', SIZE)
  await comesTo(bob, ada, film, 20)
  await other.takes(machine)
  await goesOn(bob, film)
  await sentLittleTwice(ada, film)
})

test('r10_a_transfer_goes_through_the_server_while_udp_is_cut_and_directly_again_after_it', async ({
  cabled,
  serve,
  on,
  folder,
}) => {
  await withUdpCut({ cabled, serve, on, folder })
})

test('r10_little_goes_twice_when_udp_is_cut', { tag: '@long' }, async ({ cabled, serve, on, folder }) => {
  const { ada, film } = await withUdpCut({ cabled, serve, on, folder })
  await sentLittleTwice(ada, film)
})

/** A transfer goes through the server while UDP is cut, and directly again after it. */
async function withUdpCut({ cabled, serve, on, folder }: Omit<Staged, 'network'>) {
  const [near, far] = await cabled({ roundTrip: 10, megabits: 40 })
  await serve(near, { HELIOGRAPH_TURN: 'off' })
  const at = `https://${near.address}:8443`
  const [ada, bob] = [await on(near, 'Ada', { at }), await on(far, 'Bob', { at })]
  // Half a minute, so that it still goes when UDP is let through again.
  const film = await folder.file('film.bin', 140 * MB)
  await comesTo(bob, ada, film, 10)
  await bob.seesPath(film, 'Direct')

  await cutsUdp(near)
  const before = await bob.progress(film)
  await expect(bob.file(film).getByText('via server', { exact: true })).toBeVisible({
    timeout: GOES_ON_WITHIN_MS,
  })
  await bob.reaches(film, before + 5)
  await near.filters('delete table ip cut')
  await expect(bob.file(film).getByText(/^Direct( ×\d+)?$/)).toBeVisible({ timeout: LARGE_FILE_MS })
  expect(await bob.progress(film)).toBeLessThan(100)

  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(await relayedBytes(ada.page)).toBeGreaterThan(0.05 * film.size)
  expect(await relayedBytes(ada.page)).toBeLessThan(0.9 * film.size)
  return { ada, film }
}

/** Bob receives a film of Ada's, of which so many percent have come. */
async function comesTo(bob: Device, ada: Device, film: TestFile, percent: number): Promise<void> {
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.reaches(film, percent)
}

/** The same transfer goes on soon, and nobody has pressed anything. */
async function goesOn(bob: Device, film: TestFile): Promise<void> {
  const before = await bob.progress(film)
  // What was on its way still arrives.
  await bob.reaches(film, Math.min(100, before + 10), GOES_ON_WITHIN_MS)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
}

async function sentLittleTwice(ada: Device, film: TestFile): Promise<void> {
  expect(await bytesSentTwice(ada, film)).toBeLessThanOrEqual(TWICE * Math.min(film.size, TWICE_OF))
}

/** Drops all UDP of a machine until the table is deleted. */
async function cutsUdp(machine: Machine): Promise<void> {
  await machine.filters(`
    add table ip cut
    add chain ip cut arriving { type filter hook input priority filter; }
    add chain ip cut leaving { type filter hook output priority filter; }
    add rule ip cut arriving meta l4proto udp drop
    add rule ip cut leaving meta l4proto udp drop`)
}
