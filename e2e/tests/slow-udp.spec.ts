/** R6: in a network that slows UDP down, a file goes over the direct link and the server's relay, as the operator wants. */
import { expect } from '@playwright/test'
import { MB } from '../support/files.ts'
import { test } from '../support/machines.ts'
import type { Machine } from '../support/network.ts'
import { relayedBytes } from '../support/paths.ts'
import { reachesInList } from '../support/sealing.ts'

/** Drops what is more than about half a megabit a second of UDP that leaves a machine. */
async function slowsUdpDown(machine: Machine): Promise<void> {
  await machine.filters(`
    add table ip slow
    add chain ip slow leaving { type filter hook output priority filter; }
    add rule ip slow leaving meta l4proto udp limit rate over 60 kbytes/second burst 16 kbytes drop`)
}

test.setTimeout(180_000)

test('r6_the_relay_joins_a_direct_link_that_is_slowed_down', async ({ cabled, serve, on, folder }) => {
  const [near, far] = await cabled({ roundTrip: 20 })
  await serve(near, { HELIOGRAPH_TURN: 'off' })
  await slowsUdpDown(near)
  const at = `https://${near.address}:8443`
  const [ada, bob] = [await on(near, 'Ada', { at }), await on(far, 'Bob', { at })]
  const film = await folder.file('film.bin', 20 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await reachesInList(one, 'Direct')
  await ada.sharesFiles(film)
  await bob.takes(film)
  await expect(bob.card(film.name)).toContainText('Direct and via server', { timeout: 30_000 })
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(await relayedBytes(ada.page)).toBeGreaterThan(10 * MB)
})

test('r6_it_does_not_join_where_the_operator_wants_no_relay', async ({ cabled, serve, on, folder }) => {
  const [near, far] = await cabled({ roundTrip: 20 })
  await serve(near, { HELIOGRAPH_TURN: 'off', HELIOGRAPH_RELAY: 'off' })
  await slowsUdpDown(near)
  const at = `https://${near.address}:8443`
  const [ada, bob] = [await on(near, 'Ada', { at }), await on(far, 'Bob', { at })]
  const film = await folder.file('film.bin', 0.5 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.takes(film)
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect([await relayedBytes(ada.page), await relayedBytes(bob.page)]).toEqual([0, 0])
})

test('r6_without_relay_and_direct_way_a_file_waits_and_says_so', async ({ cabled, serve, on, folder }) => {
  const [near, far] = await cabled({ roundTrip: 20 })
  await serve(near, { HELIOGRAPH_TURN: 'off', HELIOGRAPH_RELAY: 'off' })
  await near.filters(`
    add table ip cut
    add chain ip cut leaving { type filter hook output priority filter; }
    add rule ip cut leaving meta l4proto udp drop`)
  const at = `https://${near.address}:8443`
  const [ada, bob] = [await on(near, 'Ada', { at }), await on(far, 'Bob', { at })]
  const film = await folder.file('film.bin', MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.takes(film)
  await expect(bob.card(film.name)).toContainText(/Waiting for a direct connection to/, { timeout: 60_000 })
  await near.filters('delete table ip cut')
  expect(await bob.savedSha256(film)).toBe(film.sha256)
})
