/** Searching the items of a beam. */
import { expect } from '@playwright/test'
import { png } from '../support/png.ts'
import { test } from '../support/stage.ts'

test('on the canvas others are dimmed, Enter goes from match to match, and Escape ends it', async ({
  device,
}) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  for (const text of ['the lake', 'the cabin', 'the cabin by the lake']) await ada.sharesText(text)
  // A key is for the page once the field of the message has closed.
  await expect(ada.page.getByRole('button', { name: 'Send', exact: true })).toBeHidden()
  // What listens to it is loaded with the first items.
  await expect(ada.page.getByRole('article')).toHaveCount(3)
  await expect(ada.page.getByRole('button', { name: 'Search items' })).toBeInViewport()
  const field = ada.page.getByRole('searchbox', { name: 'Search items' })
  await ada.presses('/', field)
  await expect(field).toBeFocused()
  await field.fill('cab')
  await expect(ada.page.getByText('2 of 3 items match')).toBeVisible()
  const opacity = (text: string) =>
    ada.page
      .getByRole('article', { name: `Text, ${text}`, exact: true })
      .evaluate((card) => getComputedStyle(card).opacity)
  await expect.poll(() => opacity('the lake')).toBe('0.22')
  expect(await opacity('the cabin')).toBe('1')
  await field.press('Enter')
  await expect(ada.page.getByText('1 of 2 matches')).toBeVisible()
  await field.press('Enter')
  await expect(ada.page.getByText('2 of 2 matches')).toBeVisible()
  await field.press('Escape')
  await expect(field).toHaveValue('')
  await expect.poll(() => opacity('the lake')).toBe('1')
  await field.press('Escape')
  await expect(ada.page.getByRole('button', { name: 'Search items' })).toBeFocused()
})

test('Enter moves the view to a match that is far away', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await ada.sharesText('far away')
  const note = ada.card('far away')
  await expect(note).toBeInViewport()
  // The arrow keys move the view while nothing has the focus, which the closing field of the message gives to its button.
  await expect(async () => {
    await ada.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    for (let times = 0; times < 8; times += 1) await ada.page.keyboard.press('Shift+ArrowRight')
    await expect(note).not.toBeInViewport({ timeout: 2_000 })
  }).toPass()
  await ada.page.getByRole('button', { name: 'Search items' }).click()
  await ada.page.getByRole('searchbox').fill('far')
  await expect(ada.page.getByText('1 of 1 items matches')).toBeVisible()
  await ada.page.getByRole('searchbox').press('Enter')
  await expect(note).toBeInViewport()
})

test('a list shows only what matches, and says so when nothing does', async ({ device }) => {
  const ada = await device('Ada', { phone: true })
  await ada.opensSpace()
  await ada.page.getByRole('button', { name: 'New Beam' }).click()
  await ada.scansOwnQr()
  await ada.opensHome()
  const field = ada.page.getByRole('searchbox', { name: 'Search items' })
  for (let at = 0; at < 7; at += 1) await ada.sharesText(`number ${at}`)
  await ada.sees('number 6')
  await expect(field).toHaveCount(0)
  await ada.picker().setInputFiles({ name: 'lake.png', mimeType: 'image/png', buffer: png(40, 40) })
  await ada.sees('lake.png')
  await ada.enters(field, 'number 3')
  await expect(ada.page.getByRole('article')).toHaveCount(1)
  await ada.sees('number 3')
  await ada.enters(field, 'nothing like it')
  await expect(ada.page.getByText('Nothing matches “nothing like it”.')).toBeVisible()
  await ada.page.getByRole('button', { name: 'Show all' }).click()
  await expect(ada.page.getByRole('listitem').filter({ has: ada.page.getByRole('article') })).toHaveCount(8)
  await field.focus()
  await ada.page.getByRole('button', { name: 'Pictures' }).click()
  await expect(ada.page.getByRole('article')).toHaveCount(1)
  await ada.sees('lake.png')
})
