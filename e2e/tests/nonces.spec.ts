/** No nonce is used twice, however often the pages of a beam end and begin again (E2, E10). */
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { Device } from '../support/device.ts'
import { isKilled, isOnDisk } from '../support/killed.ts'
import { Nonces } from '../support/nonces.ts'
import { encrypted } from '../support/sealing.ts'
import { type CallDevice, type DeviceOptions, test } from '../support/stage.ts'

async function watched(
  nonces: Nonces,
  device: CallDevice,
  name: string,
  options: DeviceOptions = {},
): Promise<Device> {
  const made = await device(name, options)
  await nonces.watch(made.context)
  return made
}

let texts = 0

/** Everything that is sealed often: items, an edit, a deletion, what is shared again, and signals beside them. */
async function sharesMuch(from: Device, to: Device): Promise<void> {
  texts += 1
  const [kept, gone] = [`marmalade ${texts}.`, `lemons ${texts}.`]
  await from.sharesText(kept)
  await from.sharesText(gone)
  for (const text of [kept, gone]) await to.sees(text)
  await from.uses(from.card(gone), 'Delete')
  await to.seesNothingOf(gone)
  await from.page.getByRole('button', { name: 'Undo' }).click()
  await to.sees(gone)
}

const isAlone = ({ page }: Device) =>
  expect(page.getByRole('button', { name: 'Encrypted · 1 device' })).toBeVisible()

/** Expects that no nonce was used twice by so many pages, and that they used the same numbers. */
function areUnique(nonces: Nonces, pages: number): void {
  expect(nonces.repeated).toEqual([])
  const used = [...nonces.pages.values()]
  expect(used.length).toBeGreaterThanOrEqual(pages)
  expect(nonces.count).toBeGreaterThan(4 * pages)
  // The control: numbers alone would be used again by each page. What tells the pages apart is all there is.
  for (const numbers of used) expect(numbers).toContain(0n)
}

test('a nonce that is used twice is noticed', () => {
  const nonces = new Nonces()
  const [header, other] = ['A'.repeat(44), `B${'A'.repeat(43)}`]
  for (const sealed of [`e2e1.${header}one`, `e2e1.${other}two`, `e2e1.${header}one`])
    nonces.hears(JSON.stringify({ message: sealed }))
  expect(nonces.repeated).toEqual([])
  nonces.hears(JSON.stringify({ extra: `e2e1.${header}two` }))
  expect(nonces.repeated).toEqual([`e2e1.${header}`])
})

test('no nonce is used twice over reloads, a second tab, and a page that is returned to @everywhere', async ({
  device,
  browserName,
}) => {
  test.setTimeout(120_000)
  const nonces = new Nonces()
  const laptop = await watched(nonces, device, 'laptop')
  const other = await watched(nonces, device, 'other')
  await other.opens(await laptop.startsBeam())
  await encrypted(laptop, 2)
  await sharesMuch(laptop, other)
  await sharesMuch(other, laptop)
  for (const one of [laptop, other]) {
    await one.page.reload()
    await encrypted(one, 2)
  }
  await sharesMuch(laptop, other)
  await sharesMuch(other, laptop)

  const opening = laptop.context.waitForEvent('page')
  // A page that this one opens begins with a copy of its storage, like a duplicated tab.
  await laptop.page.evaluate(() => void window.open(location.href))
  const traits = { phone: false, browser: browserName === 'firefox' ? 'firefox' : 'chromium' } as const
  const copy = new Device('copy', await opening, laptop.origin, traits)
  await encrypted(copy, 3)
  await sharesMuch(copy, other)
  await sharesMuch(laptop, other)

  await laptop.opens('about:blank')
  await encrypted(other, 2)
  await laptop.page.goBack()
  await encrypted(laptop, 3)
  await sharesMuch(laptop, other)
  areUnique(nonces, 6)
})

test('no nonce is used twice by browsers that are killed, and restore what was open', async ({
  device,
  folder,
}) => {
  test.setTimeout(180_000)
  const nonces = new Nonces()
  const own = { own: 'chromium', profile: join(folder.path, 'laptop') } as const
  const laptop = await watched(nonces, device, 'laptop', own)
  const other = await watched(nonces, device, 'other')
  const link = await laptop.startsBeam()
  await laptop.sharesText('quince')
  await laptop.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
  await other.opens(link)
  await encrypted(laptop, 2)
  await sharesMuch(laptop, other)
  await isOnDisk(laptop, own.profile)
  await isKilled(laptop, own.profile)
  await isAlone(other)

  const again = await watched(nonces, device, 'laptop', own)
  await again.opens(link)
  await encrypted(other, 2)
  await sharesMuch(again, other)
  await isOnDisk(again, own.profile)
  const storage = await again.page.evaluate(() => ({ ...sessionStorage }))
  await isKilled(again, own.profile)
  await isAlone(other)

  // A browser that restores what was open gives each tab its address and the storage that it had.
  const restored = await watched(nonces, device, 'laptop', own)
  await restored.context.addInitScript((stored) => Object.assign(sessionStorage, stored), storage)
  await restored.opensHome()
  await encrypted(other, 2)
  await sharesMuch(restored, other)
  areUnique(nonces, 4)
})
