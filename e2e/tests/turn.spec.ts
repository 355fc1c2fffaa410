/** Devices that do not reach each other directly meet over the embedded TURN server. */
import { expect } from '@playwright/test'
import { MB } from '../support/files.ts'
import { relayedBytes, usesOnlyTurn } from '../support/paths.ts'
import { Server } from '../support/server.ts'
import { test as base } from '../support/stage.ts'

const TURN = {
  HELIOGRAPH_TURN: 'embedded',
  HELIOGRAPH_TURN_LISTEN: '127.0.0.1:0',
  // Everything is on this machine here.
  HELIOGRAPH_TURN_ALLOW_PEERS: '127.0.0.0/8',
}

const test = base.extend<object, { server: Server }>({
  server: [
    async ({ browserName: _ }, use) => {
      const server = await Server.start(TURN)
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
})

test('a file goes over TURN between devices that may use nothing else, and the card says so', {
  tag: '@everywhere',
}, async ({ device, folder }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  for (const one of [ada, bob]) await usesOnlyTurn(one)
  const film = await folder.file('film.bin', 8 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.page.getByRole('button', { name: '2 devices' }).click()
  await expect(ada.page.getByText('via TURN', { exact: true })).toBeVisible()
  await ada.page.keyboard.press('Escape')

  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.seesPath(film, 'via TURN')
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(await relayedBytes(ada.page)).toBe(0)
})

test('devices that reach each other stay direct although there is TURN', async ({ device, folder }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const note = await folder.file('note.bin', 3 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(note)
  await bob.takes(note)
  await bob.seesPath(note, 'Direct')
  expect(await bob.savedSha256(note)).toBe(note.sha256)
})
