/** The first evening with the product, as README describes it: a server at home, a phone there, and a friend elsewhere. */
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { MB, type TestFile } from '../support/files.ts'
import { test } from '../support/machines.ts'
import { PAGE_PORTS, TURN_PORTS } from '../support/network.ts'
import { relayedBytes } from '../support/paths.ts'
import { reachesInList, seesInList } from '../support/sealing.ts'

test.setTimeout(180_000)

test('on https at home, a phone is met directly, and a friend behind another NAT over TURN', async ({
  network,
  serve,
  on,
  folder,
}) => {
  const [home, elsewhere] = [await network.home('preserving'), await network.home('preserving')]
  const computer = await home.machine()
  const outside = home.router.address
  await home.forwards([...PAGE_PORTS, ...TURN_PORTS], computer)
  await serve(computer, {
    HELIOGRAPH_TLS: 'self-signed',
    ...NEWCOMER,
    HELIOGRAPH_TURN_RELAY_ADDRESS: outside,
  })
  const ada = await on(computer, 'Ada', { at: `https://${computer.address}:8443` })
  const phone = await on(await home.machine(), 'Phone', { phone: true })
  const friend = await on(await elsewhere.machine(), 'Friend')
  const [film, note] = [await folder.file('film.bin', 5 * MB), await folder.file('note.bin', 2 * MB)]

  const link = await ada.startsBeam()
  await phone.opens(link)
  await friend.opens(link.replace(computer.address, outside))
  await ada.seesDevices(3)
  for (const person of [ada, phone]) await reachesInList(person, 'Direct')
  for (const person of [ada, friend]) await reachesInList(person, 'via TURN')
  await ada.sharesFiles(film)
  await takes(phone, film, 'Direct')
  await takes(friend, film, 'via TURN')
  expect(await relayedBytes(ada.page)).toBe(0)
  await phone.sharesFiles(note)
  await takes(ada, note, 'Direct')
})

test('on plain http at home, a phone is met directly, and a friend to whom only the page is open over the server', async ({
  network,
  serve,
  on,
  folder,
}) => {
  const [home, elsewhere] = [await network.home('preserving'), await network.home('symmetric')]
  const computer = await home.machine()
  const outside = home.router.address
  await home.forwards(PAGE_PORTS, computer)
  await serve(computer, { HELIOGRAPH_TLS: 'off', ...NEWCOMER })
  const ada = await on(computer, 'Ada', { at: `http://${computer.address}:8080` })
  const phone = await on(await home.machine(), 'Phone', { phone: true })
  const friend = await on(await elsewhere.machine(), 'Friend')
  const [film, note] = [await folder.file('film.bin', 5 * MB), await folder.file('note.bin', 2 * MB)]

  const link = await ada.startsBeam()
  await phone.opens(link)
  await friend.opens(link.replace(computer.address, outside))
  await seesInList(ada, 3)
  for (const person of [ada, phone]) await reachesInList(person, 'Direct')
  await ada.sharesFiles(film)
  await takes(phone, film, 'Direct')
  await takes(friend, film, 'via server')
  await phone.sharesFiles(note)
  await takes(ada, note, 'Direct')
})

/** TURN as it is without a setting; the fixture of other tests has it off. */
const NEWCOMER = { HELIOGRAPH_TURN: 'embedded' }

async function takes(
  device: Device,
  file: TestFile,
  path: 'Direct' | 'via TURN' | 'via server',
): Promise<void> {
  await device.takes(file)
  await device.seesPath(file, path)
  expect(await device.savedSha256(file)).toBe(file.sha256)
}
