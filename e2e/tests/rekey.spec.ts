/** Removing a device and renewing a link change the keys of a sealed beam (E15), in real browsers. */
import { expect } from '@playwright/test'
import { hasAccount, opensBeams, savesBeam } from '../support/account.ts'
import type { Device } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { Hostile } from '../support/hostile.ts'
import { encrypted, opensDevices } from '../support/sealing.ts'
import { type CallDevice, test } from '../support/stage.ts'

const UNOPENED = 'This item could not be opened on this device.'
const NOT_VALID = 'This link is not valid any more.'

/** The secret in a link. */
const secretIn = (link: string) => /#k=([\w-]{43})$/.exec(link)?.[1] ?? ''

// A test is a dozen steps of three devices, of which each may wait.
test.setTimeout(180_000)

interface Beam {
  readonly ada: Device
  readonly bob: Device
  /** The last in the list of devices. */
  readonly eve: Device
  readonly link: string
}

/** Ada's beam, in which Bob and Eve are by its link. */
async function threeDevices(device: CallDevice, ready: (one: Device) => Promise<void> = async () => {}) {
  const [ada, bob, eve] = [await device('Ada'), await device('Bob'), await device('Eve')]
  for (const one of [ada, bob, eve]) await ready(one)
  const link = await ada.startsBeam()
  await bob.opens(link)
  await encrypted(ada, 2)
  await encrypted(bob, 2)
  await eve.opens(link)
  for (const one of [ada, bob, eve]) await encrypted(one, 3)
  await ada.sharesText('marmalade from Granada')
  for (const one of [bob, eve]) await one.sees('marmalade from Granada')
  return { ada, bob, eve, link } satisfies Beam
}

async function removesLast(device: Device): Promise<void> {
  await opensDevices(device)
  await device.page
    .getByRole('button', { name: /^Remove device / })
    .last()
    .click()
  const question = device.page.getByRole('alertdialog')
  await expect(question).toContainText('cannot read what is shared from now on')
  await question.getByRole('button', { name: 'Remove device' }).click()
  await expect(question).toHaveCount(0)
  await device.page.keyboard.press('Escape')
}

/** The link that a device shows, once its secret is another one than before. */
async function newLinkOf({ page }: Device, old: string): Promise<string> {
  await page
    .getByRole('button', { name: /devices/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Add a device' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a device' })
  let link = old
  await expect
    .poll(async () => {
      link = (await dialog.getByRole('definition').first().textContent()) ?? ''
      return secretIn(link)
    })
    .not.toBe(secretIn(old))
  await dialog.getByRole('button', { name: 'Close' }).click()
  return link
}

/** The device was closed by the server, and says so. */
const isShutOut = ({ page }: Device) =>
  expect(page.getByText('This device was removed from this beam')).toBeVisible()

test('e15 those who stay go on when a device is removed, with files and after a reload @everywhere', async ({
  device,
  folder,
}) => {
  const { ada, bob, eve } = await threeDevices(device)
  await removesLast(ada)
  await isShutOut(eve)
  await encrypted(ada, 2)
  await bob.sharesText('quince from Murcia')
  await ada.sees('quince from Murcia')
  await ada.sharesText('lemons from Almeria')
  await bob.sees('lemons from Almeria')
  const recipes = await folder.file('recipes.bin', MB)
  await ada.sharesFiles(recipes)
  await bob.takes(recipes)
  expect(await bob.savedSha256(recipes)).toBe(recipes.sha256)
  for (const one of [ada, bob]) {
    await one.page.reload()
    for (const text of ['marmalade', 'quince', 'lemons']) await one.sees(text)
  }
})

test('e15 a removed device reads nothing that is shared then, though the server sends it everything @everywhere', async ({
  device,
}) => {
  const hostiles: Hostile[] = []
  const before = async (one: Device) => void hostiles.push(await Hostile.before(one.page))
  const { ada, bob, eve } = await threeDevices(device, before)
  const [, there, toEve] = hostiles
  if (!there || !toEve) throw new Error('The server stands before all of them.')
  // The control: what passes Bob opens on her device while she is in.
  toEve.toPage = (message) => (message.type === 'rec_clipboard' ? null : message)
  await ada.sharesText('saffron from Cuenca')
  await bob.sees('saffron from Cuenca')
  toEve.says(there.last('rec_clipboard'))
  await eve.sees('saffron from Cuenca')

  toEve.isHolding = true
  const heard = there.heard.length
  await removesLast(ada)
  await encrypted(bob, 2)
  await expect.poll(() => there.heard.slice(heard).some(isOfKeys)).toBe(true)
  await ada.sharesText('quince from Murcia')
  await bob.sees('quince from Murcia')
  await bob.sharesText('lemons from Almeria')
  await ada.sees('lemons from Almeria')
  const all = there.heard.slice(heard)
  for (const message of all.filter(({ type }) => type === 'e2e' || type === 'rec_clipboard'))
    toEve.says(message)
  await expect(eve.page.getByText(UNOPENED)).toHaveCount(2)
  for (const text of ['quince', 'lemons']) await eve.seesNothingOf(text)
})

test('e15 a device that the server only hides from those who removed it reads nothing that is shared then @everywhere', async ({
  device,
}) => {
  const hostiles: Hostile[] = []
  const before = async (one: Device) => void hostiles.push(await Hostile.before(one.page))
  const { ada, bob, eve, link } = await threeDevices(device, before)
  const [toAda, toBob] = hostiles
  if (!toAda || !toBob) throw new Error('The server stands before both of them.')
  const all = toAda.last('authed_users')
  const withoutEve = { ...all, message: (all.message as object[]).slice(0, -1) }
  toAda.fromPage = (message) => {
    if (message.type !== 'remove_device') return message
    for (const one of [toAda, toBob]) one.says(withoutEve)
    return null
  }
  await removesLast(ada)
  await encrypted(ada, 2)
  const now = await newLinkOf(ada, link)
  expect(await newLinkOf(bob, link)).toBe(now)
  await ada.sharesText('quince from Murcia')
  await bob.sees('quince from Murcia')
  await expect(eve.page.getByText(UNOPENED)).toBeVisible()
  await eve.seesNothingOf('quince from Murcia')
})

const isOfKeys = ({ type, message }: { type: string; message?: unknown }) =>
  type === 'e2e' && (message as { op: string }).op === 'keys'

test('e15 a device that was away during the removal is handed the keys when it comes back @everywhere', async ({
  device,
}) => {
  const { ada, bob } = await threeDevices(device)
  const page = bob.page.url()
  await bob.page.goto('about:blank')
  await encrypted(ada, 2)
  await removesLast(ada)
  await ada.sharesText('quince from Murcia')
  await bob.page.goto(page)
  await bob.sees('quince from Murcia')
  await bob.sees('marmalade from Granada')
  await bob.sharesText('lemons from Almeria')
  await ada.sees('lemons from Almeria')
})

test('e15 the link of before a removal lets nobody in, and the one of after it does @everywhere', async ({
  device,
}) => {
  const { ada, bob, eve, link } = await threeDevices(device)
  await removesLast(ada)
  await isShutOut(eve)
  const now = await newLinkOf(ada, link)
  expect(now.split('#')[0]).toBe(link.split('#')[0])
  const late = await device('Late')
  await late.opens(link)
  await expect(late.page.getByText(NOT_VALID)).toBeVisible()
  await late.seesNothingOf('marmalade from Granada')
  expect(await newLinkOf(bob, link)).toBe(now)
  await late.opens(now)
  await late.sees('marmalade from Granada')
  await late.sharesText('quince from Murcia')
  for (const one of [ada, bob]) await one.sees('quince from Murcia')
})

test('e15 a renewed link carries a new secret, by which what was written is read @everywhere', async ({
  device,
}) => {
  const [ada, desk, bob] = [await device('Ada'), await device('Desk'), await device('Bob')]
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  expect(secretIn(link)).not.toBe('')
  await desk.context.addCookies(await ada.context.cookies())
  for (const one of [desk, bob]) {
    await one.opens(link)
    await one.sees('Keys are with Jonas')
  }
  await opensBeams(ada)
  await ada.card('Cabin').getByRole('button', { name: 'Share', exact: true }).click()
  await ada.page.getByRole('button', { name: 'Renew link' }).click()
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Renew link' }).click()
  await ada.seesToast('Link renewed successfully')
  await bob.seesHeading('This beam has ended')
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await ada.seesNoDialog()
  await ada.goesHome()
  const now = await newLinkOf(ada, link)
  expect(secretIn(now)).not.toBe('')
  // A device that needs no link comes along, and shows the same one.
  expect(await newLinkOf(desk, link)).toBe(now)
  await bob.opens(link)
  await bob.seesHeading('This beam has ended')
  await bob.opens(now)
  await bob.sees('Keys are with Jonas')
  await desk.sharesText('I came along')
  for (const one of [ada, bob]) await one.sees('I came along')
})
