/** R7, R8: a device vanishes in the middle of a transfer and comes back, and the transfer goes on. */
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { bytesSentTwice } from '../support/details.ts'
import { Device, LARGE_FILE_MS } from '../support/device.ts'
import { type Folder, MB, type TestFile } from '../support/files.ts'
import { isKilled, isOnDisk } from '../support/killed.ts'
import { isKeptForLater, ownDiskFilm, picksFromOwnDisk, sharesFromOwnDisk } from '../support/own-disk.ts'
import { directBytesReceived } from '../support/paths.ts'
import { type CallDevice, test } from '../support/stage.ts'

const MIB = 1024 * 1024
/** The largest window (F4): what a page that is killed may have received and not entered in its journal. */
const WINDOW = 32 * MIB
/** A link that is silent counts as dead after 8 s. Then the other device says that it waits. */
const SAYS_SO_WITHIN = { timeout: 20_000 }
/** Large enough that a browser is killed before all of it has come, also where the machine is busy. */
const FILM = ownDiskFilm('film.bin', 200 * MB)
/** The rest and a window are less than all of it, so a transfer that begins anew is noticed. */
const PART = 30

test.setTimeout(2 * LARGE_FILE_MS)

type End = 'reload' | 'crash' | 'closed tab'

/** Ada has shared a film of which so many percent have come to Bob. Both browsers have profiles that outlive them. */
async function partReceived(device: CallDevice, folder: Folder, percent: number) {
  const profiles = { sender: join(folder.path, 'Ada'), receiver: join(folder.path, 'Bob') }
  const ada = await device('Ada', { own: 'chromium', profile: profiles.sender })
  const bob = await device('Bob', { own: 'chromium', profile: profiles.receiver })
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  for (const [one, profile] of [
    [ada, profiles.sender],
    [bob, profiles.receiver],
  ] as const)
    await isOnDisk(one, profile)
  // So that her browser finds the file again.
  await ada.page.evaluate(picksFromOwnDisk, [FILM.name, FILM.size] as const)
  await sharesFromOwnDisk(ada)
  await isKeptForLater(ada.page)
  await bob.takes(FILM)
  await bob.reaches(FILM, percent)
  return { ada, bob, link, profiles }
}

test('r7_a_receiver_that_was_killed_goes_on_when_it_is_started_again', async ({ device, folder }) => {
  const { ada, bob, link, profiles } = await partReceived(device, folder, PART)
  await isKilled(bob, profiles.receiver)
  await expect(ada.card(FILM.name).getByText(/^Waiting for /)).toBeVisible(SAYS_SO_WITHIN)

  const again = await device('Bob', { own: 'chromium', profile: profiles.receiver })
  await again.opens(link)
  expect(await again.savedSha256(FILM)).toBe(FILM.sha256)
  expect(await directBytesReceived(again.page)).toBeGreaterThan(0)
  await hasReceivedTheRestOnly(again, PART)
})

test('r7_a_receiver_goes_on_when_its_sender_was_killed_and_is_started_again', async ({ device, folder }) => {
  const { ada, bob, link, profiles } = await partReceived(device, folder, PART)
  await isKilled(ada, profiles.sender)
  await expect(bob.file(FILM).getByText(/^Waiting for /)).toBeVisible(SAYS_SO_WITHIN)
  const before = await bob.progress(FILM)

  const again = await device('Ada', { own: 'chromium', profile: profiles.sender })
  await again.opens(link)
  await again.seesDevices(2)
  await hasNotBegunAnew(bob, FILM, before)
  expect(await bob.savedSha256(FILM)).toBe(FILM.sha256)
  expect(await bytesSentTwice(bob, FILM)).toBeLessThanOrEqual(WINDOW)
})

/** This page has received what the one before had not, and at most a window again. */
async function hasReceivedTheRestOnly({ page }: Device, percent: number): Promise<void> {
  const rest = (1 - percent / 100) * FILM.size
  expect(await directBytesReceived(page)).toBeLessThan(rest + 1.05 * WINDOW)
}

/** What had come stays, and the transfer goes on from there. */
async function hasNotBegunAnew(bob: Device, film: TestFile, before: number): Promise<void> {
  let least = 100
  const hasGoneOn = async () => {
    const now = await bob.progress(film)
    // A card has no bar for a moment, and none once the file is complete.
    if (now > 0) least = Math.min(least, now)
    return now > before || (now === 0 && least > before)
  }
  await expect.poll(hasGoneOn, { timeout: LARGE_FILE_MS }).toBe(true)
  expect(least).toBeGreaterThanOrEqual(before)
}

for (const side of ['sender', 'receiver'] as const) {
  for (const end of ['reload', 'crash', 'closed tab'] as const) {
    for (const percent of [1, 50, 99]) {
      test(`r7_a_transfer_survives_a_${end.replace(' ', '_')}_of_its_${side}_at_${percent}_%`, {
        tag: '@long',
      }, async ({ device, folder }) => {
        const { ada, bob, link, profiles } = await partReceived(device, folder, percent)
        const one = side === 'sender' ? ada : bob
        const again = await comesBack(device, one, { end, link, profile: profiles[side] })
        const receiver = side === 'sender' ? bob : again
        // A moment after the start there may be nothing in the journal yet.
        if (side === 'receiver') await receiver.takesUnlessBegun(FILM)
        expect(await receiver.savedSha256(FILM)).toBe(FILM.sha256)
        if (side === 'sender') expect(await bytesSentTwice(bob, FILM)).toBeLessThanOrEqual(WINDOW)
        else await hasReceivedTheRestOnly(again, percent)
      })
    }
  }
}

/** The device ends in some way, and is there again as the same device. */
async function comesBack(
  device: CallDevice,
  one: Device,
  { end, link, profile }: { end: End; link: string; profile: string },
): Promise<Device> {
  if (end === 'reload') {
    await one.page.reload()
    return one
  }
  const again = await (end === 'crash' ? startedAgain(device, one, profile) : inNewTab(one))
  await again.opens(link)
  return again
}

async function startedAgain(device: CallDevice, one: Device, profile: string): Promise<Device> {
  await isKilled(one, profile)
  return await device(one.name, { own: 'chromium', profile })
}

async function inNewTab(one: Device): Promise<Device> {
  const page = await one.context.newPage()
  await one.page.close()
  return new Device(one.name, page, one.origin, { phone: false, browser: 'chromium' })
}
