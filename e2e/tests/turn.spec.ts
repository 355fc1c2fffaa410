/** Devices that do not reach each other directly meet over the embedded TURN server. */
import { expect, type Page } from '@playwright/test'
import { LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { relayedBytes, usesOnlyTurn } from '../support/paths.ts'
import { reachesInList } from '../support/sealing.ts'
import { test } from '../support/turn-here.ts'

test('a file goes over TURN between devices that may use nothing else, and the card says so', {
  tag: '@everywhere',
}, async ({ device, folder }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  for (const one of [ada, bob]) await usesOnlyTurn(one)
  const film = await folder.file('film.bin', 8 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await reachesInList(one, 'via TURN')
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
  for (const one of [ada, bob]) await reachesInList(one, 'Direct')
  await ada.sharesFiles(note)
  await bob.takes(note)
  await bob.seesPath(note, 'Direct')
  expect(await bob.savedSha256(note)).toBe(note.sha256)
})

test("a file goes over a coturn of one's own, with the configuration that comes along", async ({
  device,
  folder,
  paired,
}) => {
  const [ada, bob] = [await device('Ada'), await device('Bob')]
  for (const one of [ada, bob]) await usesOnlyTurn(one)
  const film = await folder.file('film.bin', 8 * MB)
  const link = (await ada.startsBeam()).replace(/^http:..[^/]+/, paired.origin)
  for (const one of [ada, bob]) await one.opens(link)
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await reachesInList(one, 'via TURN')
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.seesPath(film, 'via TURN')
  expect(await bob.savedSha256(film)).toBe(film.sha256)
})

test('credentials that are renewed in mid-transfer cost nothing', async ({ device, folder }) => {
  test.setTimeout(LARGE_FILE_MS)
  const ada = await device('Ada')
  const bob = await device('Bob')
  for (const one of [ada, bob]) await usesOnlyTurn(one)
  const renewed = [await renewsByHand(ada.page), await renewsByHand(bob.page)]
  const film = await folder.file('film.bin', 40 * MB)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  for (const one of [ada, bob]) await reachesInList(one, 'via TURN')
  await ada.sharesFiles(film)
  await bob.takes(film)
  await bob.reaches(film, 5)
  // Only one of the two may restart ICE, and does it for the other too (L4).
  for (const renew of renewed) {
    const before = await iceName(bob.page)
    renew()
    await expect.poll(() => iceName(bob.page)).not.toEqual(before)
  }
  await bob.has(film)
  await bob.seesPath(film, 'via TURN')
  expect(await bob.savedSha256(film)).toBe(film.sha256)
  expect(await relayedBytes(ada.page)).toBe(0)
})

/** Returns what tells a page the ICE servers of its welcome again, as the server does after fifty minutes (S37). */
async function renewsByHand(page: Page): Promise<() => void> {
  let tell = () => {}
  await page.routeWebSocket(/\/ws\/beam\//, (socket) => {
    const server = socket.connectToServer()
    server.onMessage((text) => {
      socket.send(text)
      const message = typeof text === 'string' && text.includes('"welcome"') ? JSON.parse(text) : null
      if (message?.type !== 'welcome') return
      tell = () => socket.send(JSON.stringify({ type: 'ice_servers', message: message.message.ice_servers }))
    })
  })
  return () => tell()
}

/** Returns the name of the page's end of its connections, which a restart of ICE changes (RFC 8445, section 9). */
async function iceName(page: Page): Promise<readonly (string | undefined)[]> {
  return await page.evaluate(() =>
    (window.heliographPaths?.made ?? []).map(
      ({ localDescription }) => /a=ice-ufrag:(\S+)/.exec(localDescription?.sdp ?? '')?.[1],
    ),
  )
}
