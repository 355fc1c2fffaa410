import { expect } from '@playwright/test'
import { hasAccount, opensBeams, opensSharing, savesBeam, sharesBeam } from '../support/account.ts'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

const tab = ({ page }: Device, name: string) => page.getByRole('tab', { name })
const count = (device: Device, name: string, beams: number) =>
  expect(tab(device, name)).toHaveText(`${name}${beams}`)

for (const phone of [false, true]) {
  const size = phone ? 'phone' : 'desktop'

  test(`My Beams on a ${size} shows in each tab that there is nothing yet`, async ({ device }) => {
    const ada = await device('Ada', { phone })
    await hasAccount(ada)
    await opensBeams(ada)
    for (const [name, heading, text] of [
      ['My Beams', 'No Beams Yet', 'Create your first beam to get started'],
      ['Shared With Me', 'No Shared Beams', 'No one has shared any beams with you yet'],
      ['My Shares', 'No Shared Beams', "You haven't shared any beams with others yet"],
    ] as const) {
      await count(ada, name, 0)
      await tab(ada, name).click()
      await ada.seesHeading(heading)
      await ada.seesToast(text)
      await expectNothingSerious(ada)
    }
    await tab(ada, 'My Beams').click()
    await expect(ada.page.getByRole('button', { name: 'Create Beam' })).toBeVisible()
  })

  test(`a beam is shared, changed and unshared on a ${size}`, async ({ device }) => {
    const ada = await device('Ada', { phone })
    const bob = await device('Bob', { phone: !phone })
    await hasAccount(ada)
    const bobsName = await hasAccount(bob)
    // A phone does not create a beam by itself, so the same account saves it on a desktop here.
    const desk = phone ? await device('Desk') : ada
    if (desk !== ada) await desk.context.addCookies(await ada.context.cookies())
    await savesBeam(desk, 'Cabin weekend', 'Keys are with Jonas')

    await opensBeams(ada)
    await count(ada, 'My Beams', 1)
    await opensSharing(ada, 'Cabin weekend')
    const dialog = ada.page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Share', exact: true }).click()
    await expect(dialog.getByText('Please enter a username')).toBeVisible()
    await sharesBeam(ada, 'nobody.of.this.name', 'Read Only')
    await expect(dialog.getByRole('textbox', { name: 'Username' })).toHaveAttribute('aria-invalid', 'true')

    await sharesBeam(ada, bobsName, 'Read Only')
    await ada.seesToast(`Beam shared successfully with ${bobsName}`)
    await expect(dialog.getByText(/Anyone with the link can still write/)).toBeVisible()
    await expectNothingSerious(ada)
    await dialog.getByRole('button', { name: 'Set link to Read Only' }).click()
    await expect(dialog.getByText(/Anyone with the link can still write/)).toHaveCount(0)

    await dialog.getByRole('combobox', { name: `Permission of ${bobsName}` }).selectOption('Read & Write')
    await ada.seesToast('Share permissions updated successfully')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await count(ada, 'My Shares', 1)

    await opensBeams(bob)
    await tab(bob, 'Shared With Me').click()
    await expect(bob.card('Cabin weekend')).toContainText('Read & Write')

    await tab(ada, 'My Shares').click()
    await ada.page.getByRole('button', { name: `Remove access for ${bobsName}` }).click()
    const question = ada.page.getByRole('alertdialog')
    await expect(question).toContainText(`Are you sure you want to remove access for ${bobsName}?`)
    await expect(question).toContainText('This action cannot be undone')
    await expectNothingSerious(ada)
    await question.getByRole('button', { name: 'Remove Share' }).click()
    await ada.seesToast('Beam share removed successfully')
    await count(ada, 'My Shares', 0)
    await expectNoSidewaysScroll(ada)
  })
}

test('a card copies the id, opens the beam, renames it and deletes it', async ({ device }) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const id = new URL(await savesBeam(ada, 'Cabin', 'Keys are with Jonas')).searchParams.get('beam_id') ?? ''
  await opensBeams(ada)
  const card = ada.card('Cabin')
  await expect(card).toContainText(`${id.slice(0, 8)}…`)
  await expect(card).toContainText(/Created \w+ \d+, \d{4}/)

  await card.getByRole('button', { name: 'Copy beam ID' }).click()
  await ada.seesToast('Beam ID copied to clipboard')
  expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe(id)

  await card.getByRole('button', { name: 'More' }).click()
  await ada.page.getByRole('menuitem', { name: 'Rename' }).click()
  const dialog = ada.page.getByRole('dialog', { name: 'Rename Beam' })
  await ada.enters(dialog.getByRole('textbox', { name: 'Beam Name' }), 'Cottage')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(ada.card('Cottage')).toBeVisible()
  await ada.seesNoDialog()

  await ada.card('Cottage').getByRole('link', { name: 'Open Beam' }).click()
  await ada.sees('Keys are with Jonas')
  await expect(ada.page).toHaveURL(`${ada.origin}/`)

  await opensBeams(ada)
  await ada.card('Cottage').getByRole('button', { name: 'More' }).click()
  await ada.page.getByRole('menuitem', { name: 'Delete Beam' }).click()
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Delete Beam' }).click()
  await ada.seesHeading('No Beams Yet')
})

test('a recipient leaves', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  const bobsName = await hasAccount(bob)
  await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  await opensBeams(ada)
  await opensSharing(ada, 'Cabin')
  await sharesBeam(ada, bobsName, 'Admin')
  await ada.seesToast(`Beam shared successfully with ${bobsName}`)

  await opensBeams(bob)
  await tab(bob, 'Shared With Me').click()
  await bob.card('Cabin').getByRole('button', { name: 'Leave Beam' }).click()
  await bob.page.getByRole('alertdialog').getByRole('button', { name: 'Leave Beam' }).click()
  await count(bob, 'Shared With Me', 0)
})

test('a renewed link ends the old one, and the page that renewed it follows', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  await bob.opens(link)
  await bob.sees('Keys are with Jonas')
  await opensBeams(ada)
  await opensSharing(ada, 'Cabin')
  await ada.page.getByRole('button', { name: 'Renew link' }).click()
  const answer = ada.page.waitForResponse('**/renew/')
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Renew link' }).click()
  const { beam_id } = await (await answer).json()
  await ada.seesToast('Link renewed successfully')
  await bob.seesHeading('This beam has ended')

  await ada.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await ada.seesNoDialog()
  await ada.goesHome()
  await ada.sees('Keys are with Jonas')
  await ada.page.reload()
  await ada.sees('Keys are with Jonas')
  await bob.opens(`${ada.origin}/?beam_id=${beam_id}`)
  await bob.sees('Keys are with Jonas')
})

test('a person whose share is removed while the link is open is kept out by a new link', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  const bobsName = await hasAccount(bob)
  const link = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  await opensBeams(ada)
  await opensSharing(ada, 'Cabin')
  await sharesBeam(ada, bobsName, 'Read & Write')
  await ada.seesToast(`Beam shared successfully with ${bobsName}`)
  await bob.opens(link)
  await bob.sees('Keys are with Jonas')

  await ada.page.getByRole('button', { name: `Remove access for ${bobsName}` }).click()
  const question = ada.page.getByRole('alertdialog')
  await expect(question).toContainText(`this does not stop ${bobsName}`)
  await expectNothingSerious(ada)
  await question.getByRole('combobox', { name: 'The link' }).selectOption('Renew the link')
  await question.getByRole('button', { name: 'Remove Share' }).click()
  await ada.seesToast('Link renewed successfully')
  await bob.seesHeading('This beam has ended')
  await bob.opens(link)
  await bob.seesHeading('This beam has ended')
})

test('those who need no link go along to a renewed one, at once or when they come back', async ({
  device,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada')
  const [desk, laptop, bob] = [await device('Desk'), await device('Laptop'), await device('Bob')]
  await hasAccount(ada)
  const bobsName = await hasAccount(bob)
  const old = await savesBeam(ada, 'Cabin', 'Keys are with Jonas')
  for (const other of [desk, laptop]) await other.context.addCookies(await ada.context.cookies())
  for (const other of [desk, laptop, bob]) {
    await other.opens(old)
    await other.sees('Keys are with Jonas')
  }
  await laptop.page.goto('about:blank')
  await opensBeams(ada)
  await opensSharing(ada, 'Cabin')
  await sharesBeam(ada, bobsName, 'Read & Write')
  await ada.seesToast(`Beam shared successfully with ${bobsName}`)
  await ada.page.getByRole('button', { name: 'Renew link' }).click()
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Renew link' }).click()
  await ada.seesToast('Link renewed successfully')

  await desk.sharesText('I came along')
  await bob.sees('I came along')
  await laptop.opens(old)
  await laptop.sees('I came along')
  for (const other of [desk, bob, laptop]) {
    await expect(other.page.getByRole('heading', { name: 'This beam has ended' })).toHaveCount(0)
    await other.page.reload()
    await other.sees('I came along')
  }
})

test('a failed load is shown, and can be tried again', async ({ device }) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  await ada.page.route('**/api/beams/', (route) => route.abort())
  await opensBeams(ada)
  await ada.seesHeading('Failed to fetch beams')
  await ada.page.unroute('**/api/beams/')
  await ada.page.getByRole('button', { name: 'Retry' }).click()
  await ada.seesHeading('No Beams Yet')
})

test('a long name of a beam stretches no card, and can be read whole', async ({ device }) => {
  const long = 'Photographs of the weekend in the cabin with Jonas and everybody else who came along '
    .repeat(2)
    .slice(0, 120)
    .trim()
  const ada = await device('Ada')
  await hasAccount(ada)
  await savesBeam(ada, long, 'first')
  await savesBeam(ada, `2 ${long}`.slice(0, 120).trim(), 'second')
  await opensBeams(ada)
  const cards = ada.page.getByRole('article')
  await expect(cards).toHaveCount(2)
  const boxes = () =>
    cards.evaluateAll((all) => all.map((card) => card.getBoundingClientRect().toJSON() as DOMRect))
  const [left, right] = await boxes()
  expect(left?.width).toBe(right?.width)
  expect(left?.right).toBeLessThan(right?.left ?? 0)
  await expect(ada.page.getByRole('heading', { name: long, exact: true })).toHaveAttribute('title', long)

  await ada.page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(ada)
  for (const { right } of await boxes()) expect(right).toBeLessThanOrEqual(390)
  for (const name of ['Share', 'More']) {
    const button = cards.first().getByRole('button', { name, exact: true })
    await expect(button).toBeInViewport({ ratio: 1 })
  }
})
