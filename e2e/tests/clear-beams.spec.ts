/** Beams in clear text, beside devices that seal and say nothing, and things that only look sealed (E11). */
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { RawClient } from '../support/raw-client.ts'
import { opensDevices, sharesInClear } from '../support/sealing.ts'
import { type CallDevice, test } from '../support/stage.ts'

/** A device that is asleep is given up after ten seconds. */
const GIVEN_UP = { timeout: 60_000 }

/** Has the form of an envelope, and nobody has its key. */
const FAKE = `e2e1.${Buffer.from([1, ...Buffer.alloc(304)]).toString('base64url')}`

const pill = (device: Device, text: RegExp) =>
  expect(device.page.locator('button[aria-haspopup=dialog]').filter({ hasText: text }).first()).toBeVisible(
    GIVEN_UP,
  )

test.setTimeout(180_000)

/** A beam whose first device shares in clear text, with one that is asleep. */
async function clearBeam(device: CallDevice): Promise<{ old: Device; asleep: RawClient; link: string }> {
  const old = await device('old')
  await sharesInClear(old)
  const link = await old.startsBeam()
  await old.sharesText('marmalade from Granada')
  const asleep = await RawClient.joinsAsleep(link)
  return { old, asleep, link }
}

test('e11 a beam in clear text opens beside a device that is asleep, and says why it is not encrypted', async ({
  device,
}) => {
  const { old, link } = await clearBeam(device)
  const laptop = await device('laptop')
  await laptop.opens(link)
  await pill(laptop, /^Not encrypted/)
  await laptop.sees('marmalade from Granada')
  await opensDevices(laptop)
  await expect(laptop.page.getByText('no device that answers has a key of this beam')).toBeVisible()
  await laptop.page.keyboard.press('Escape')
  await laptop.sharesText('oat milk')
  await old.sees('oat milk')
})

test('e11 what only looks sealed hides nothing else, and a person may share unencrypted beside it', async ({
  device,
}) => {
  const { old, asleep, link } = await clearBeam(device)
  asleep.send({ type: 'share_clipboard', message: FAKE, extra: 'text' })
  const laptop = await device('laptop')
  await laptop.opens(link)
  await expect(laptop.card('marmalade from Granada')).toBeVisible(GIVEN_UP)
  await pill(laptop, /^Waiting to be let in/)
  await laptop.sharesText('oat milk')
  await opensDevices(laptop)
  await expect(laptop.page.getByText('Then the server can read what you share.')).toBeVisible()
  await old.seesNothingOf('oat milk')
  await laptop.page.getByRole('button', { name: 'Share unencrypted' }).click()
  await pill(laptop, /^Not encrypted/)
  await old.sees('oat milk')
})
