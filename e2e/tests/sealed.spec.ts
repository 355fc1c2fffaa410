/** A sealed beam in real browsers: the ways in, and that the server sees nothing of what is shared (E1 to E8). */
import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { cutDirectPaths } from '../support/paths.ts'
import {
  encrypted,
  Overheard,
  opensDevices,
  picturesOn,
  reachesInList,
  sharesInClear,
} from '../support/sealing.ts'
import { type CallDevice, test } from '../support/stage.ts'

/** A laptop and a phone that came by its link, with a text that both see. */
async function shareOneText(device: CallDevice): Promise<{ laptop: Device; phone: Device }> {
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  await phone.opens(await laptop.startsBeam())
  await encrypted(laptop, 2)
  await laptop.sharesText('marmalade from Granada')
  await phone.sees('marmalade from Granada')
  return { laptop, phone }
}

/** So many letters has the longest text of a sealed beam, and so many of these have the server drop what was before them. */
const [LONGEST_TEXT, DROPPING] = [169_726, 38]
/** For all of it to come to another device, and be opened there. */
const COMES_WHOLE = { timeout: 60_000 }

/** The id in a link, as it is typed or read out. */
const idIn = (link: string) => /beam_id=([0-9a-f-]{36})/.exec(link)?.[1] ?? ''

test('e1 e3 what is shared by the link is read on both devices, and by nobody in between @everywhere', async ({
  device,
}) => {
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  const overheard = [new Overheard(laptop.page), new Overheard(phone.page)]
  const link = await laptop.startsBeam()
  expect(link).toMatch(/#k=[\w-]{43}$/)
  await phone.opens(link)
  await expect(phone.page).toHaveURL((url) => url.hash === '' && !url.search.includes('beam_id'))
  await encrypted(laptop, 2)
  await laptop.sharesText('marmalade from Granada')
  await phone.sees('marmalade from Granada')
  await phone.sharesText('quince from Murcia')
  await laptop.sees('quince from Murcia')
  const secret = link.split('#k=')[1] ?? ''
  for (const one of overheard) one.knowsNothingOf('marmalade from Granada', 'quince from Murcia', secret)
})

test('e1 the control: without sealing, the same is overheard', async ({ device }) => {
  const laptop = await device('laptop')
  await sharesInClear(laptop)
  const overheard = new Overheard(laptop.page)
  await laptop.startsBeam()
  await laptop.sharesText('marmalade from Granada')
  await laptop.sees('marmalade from Granada')
  await laptop.hasSentAll()
  overheard.knowsOf('marmalade from Granada')
})

test('e6 both devices read everything again after a reload, and after all were away @everywhere', async ({
  device,
}) => {
  const { laptop, phone } = await shareOneText(device)
  await laptop.page.reload()
  await laptop.sees('marmalade from Granada')
  await phone.page.reload()
  await phone.sees('marmalade from Granada')
  await phone.sharesText('quince from Murcia')
  await laptop.sees('quince from Murcia')
})

test('e4 a deletion reaches the other device, and so does its Undo', async ({ device }) => {
  const { laptop, phone } = await shareOneText(device)
  await laptop.keepsToasts()
  await laptop.uses(laptop.card('marmalade from Granada'), 'Delete')
  await phone.seesNothingOf('marmalade from Granada')
  await laptop.page.getByRole('button', { name: 'Undo' }).click()
  await phone.sees('marmalade from Granada')
})

test('e8 the first device that types the id is in at once, and people compare four pictures @everywhere', async ({
  device,
}) => {
  const laptop = await device('laptop')
  const other = await device('other')
  const id = idIn(await laptop.startsBeam())
  await laptop.sharesText('marmalade from Granada')
  await other.opensHome()
  await other.joinsByTyping(id)
  await other.sees('marmalade from Granada')
  for (const one of [laptop, other]) {
    await expect(one.page.getByRole('button', { name: 'Not verified' })).toBeVisible()
    await opensDevices(one)
  }
  expect(await picturesOn(laptop)).toEqual(await picturesOn(other))
  for (const one of [laptop, other]) {
    await one.page.getByRole('button', { name: 'They match' }).click()
    await encrypted(one, 2)
  }
})

/** A laptop and a phone with a text, and a device that has typed the id of their beam and waits to be let in. */
async function comesLate(device: CallDevice): Promise<{ laptop: Device; late: Device }> {
  const laptop = await device('laptop')
  const phone = await device('phone', { phone: true })
  const late = await device('late')
  const link = await laptop.startsBeam()
  await phone.opens(link)
  await encrypted(laptop, 2)
  await laptop.sharesText('marmalade from Granada')
  await late.opensHome()
  await late.joinsByTyping(idIn(link))
  await expect(late.page.getByText('This beam is encrypted').first()).toBeVisible()
  return { laptop, late }
}

test('e8 a later one waits until a person lets it in', async ({ device }) => {
  const { laptop, late } = await comesLate(device)
  await opensDevices(laptop)
  await late.seesNothingOf('marmalade from Granada')
  const shown = await picturesOn(laptop)
  await expect(laptop.page.getByText('Wants to come in')).toBeVisible()
  // It shows those of each device that could let it in.
  await expect(late.page.getByRole('list', { name: 'Pictures to compare' })).toHaveCount(2)
  const theirs = late.page.getByRole('status').getByRole('listitem')
  await expect.poll(async () => (await theirs.allInnerTexts()).join()).toContain(shown.join())
  await laptop.page.getByRole('button', { name: 'They match, let it in' }).click()
  await late.sees('marmalade from Granada')
})

test('e8 what it shares while it waits outlives a reload, and reaches the others once it is in', async ({
  device,
  folder,
}) => {
  const { laptop, late } = await comesLate(device)
  const recipe = await folder.file('quince recipe.bin', 70_001)
  await late.sharesText('quince from Murcia')
  await late.sharesFiles(recipe)
  await late.sees(recipe.name)
  // The browser asks, because only this page has the file.
  late.page.on('dialog', (dialog) => void dialog.accept())
  await late.page.reload()
  await late.sees('quince from Murcia')
  await late.card(recipe.name).getByLabel(`Choose ${recipe.name} again`).setInputFiles(recipe.path)
  await laptop.seesNothingOf(recipe.name)
  await opensDevices(laptop)
  await laptop.page.getByRole('button', { name: 'They match, let it in' }).click()
  await late.sees('marmalade from Granada')
  await laptop.page.keyboard.press('Escape')
  await laptop.sees('quince from Murcia')
  await laptop.takes(recipe)
  expect(await laptop.savedSha256(recipe)).toBe(recipe.sha256)
})

test('e3 the longest text reaches a newcomer after the server has dropped it, and a longer one is a file', async ({
  device,
}) => {
  test.setTimeout(180_000)
  const laptop = await device('laptop')
  const link = await laptop.startsBeam()
  const longText = (name: string, more = 0) => `${name} `.padEnd(LONGEST_TEXT + more, 'x')
  await laptop.sharesText(longText('marmalade'))
  await laptop.sees('marmalade')
  for (let at = 0; at < DROPPING; at += 1) await laptop.sharesText(longText(`quince ${at}`))
  await laptop.sees(`quince ${DROPPING - 1} `)
  await laptop.sharesText(longText('pear', 1))
  await laptop.sees('Text.txt')
  await laptop.hasSentAll()
  const phone = await device('phone', { phone: true })
  await phone.keepsToasts()
  await phone.opens(link)
  await phone.seesToast(/^More than the server keeps/, COMES_WHOLE)
  await expect(phone.page.getByRole('article', { name: 'Text, marmalade' })).toHaveCount(1, COMES_WHOLE)
  await phone.enters(phone.page.getByRole('searchbox', { name: 'Search items' }), 'marmalade')
  await phone.sees('marmalade')
  await phone.card('marmalade').getByRole('button', { name: 'Copy' }).click()
  await phone.seesToast('Text copied successfully!')
  const copied = await phone.page.evaluate(() => navigator.clipboard.readText())
  expect(copied === longText('marmalade')).toBe(true)
})

for (const way of ['Direct', 'via server'] as const) {
  test(`e7 a file arrives bit for bit ${way}, and the server sees nothing of it @everywhere`, async ({
    device,
    folder,
  }) => {
    const laptop = await device('laptop')
    const other = await device('other')
    const overheard = new Overheard(laptop.page)
    const secrets = await folder.file('marmalade recipes.bin', 3 * MB + 1)
    const link = await laptop.startsBeam()
    if (way === 'via server') await cutDirectPaths(laptop.page)
    await other.opens(link)
    await encrypted(laptop, 2)
    if (way === 'Direct') for (const one of [laptop, other]) await reachesInList(one, 'Direct')
    await laptop.sharesFiles(secrets)
    await other.takes(secrets)
    expect(await other.savedSha256(secrets)).toBe(secrets.sha256)
    await other.seesPath(secrets, way)
    const bytes = await readFile(secrets.path)
    // The blocks of the file differ in their first bytes alone.
    overheard.knowsNothingOf(secrets.name, bytes.subarray(100, 132).toString('latin1'))
  })
}

test('e7 what the server alone has is saved with one press, which can be stopped and pressed again', async ({
  device,
  folder,
}) => {
  const laptop = await device('laptop')
  const plan = await folder.file('plan.bin', 5 * MB)
  const link = await laptop.startsBeam()
  await laptop.sharesText('marmalade from Granada')
  await laptop.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
  await laptop.sharesFiles(plan)
  await laptop.reads(plan, 'Stored')
  await laptop.hasSentAll()
  await laptop.leaves()

  const other = await device('other')
  await other.page.route('**/api/uploads/**', () => {})
  await other.opens(link)
  await other.has(plan)
  const save = other.file(plan).getByRole('button', { name: 'Save', exact: true })
  await save.click()
  await other.pauses(plan)
  await other.reads(plan, 'Paused')
  await other.cancels(plan)
  await expect(save).toBeVisible()
  await other.page.unrouteAll({ behavior: 'ignoreErrors' })
  expect(await other.savedSha256(plan)).toBe(plan.sha256)
})
