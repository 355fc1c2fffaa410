import { expect, type Locator } from '@playwright/test'
import { coveredNotes, expectAt, middleOf, restsOn } from '../support/canvas.ts'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { directBytesReceived } from '../support/paths.ts'
import { type CallDevice, test } from '../support/stage.ts'

/** The largest window (F4): what is on its way when a file is deleted may be sent again. */
const WINDOW = 32 * 1024 * 1024

const everywhere = { tag: '@everywhere' }

/** Two desktops in one beam. */
async function pair(device: CallDevice): Promise<readonly [Device, Device]> {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  return [ada, bob]
}

/** Shares a real picture of the screen, 64 pixels wide. */
async function sharesPicture(device: Device, name: string): Promise<void> {
  const buffer = await device.page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 48 } })
  await device.picker().setInputFiles({ name, mimeType: 'image/png', buffer })
}

async function showsPicture({ page }: Device, name: string): Promise<void> {
  const shown = page.getByRole('img', { name })
  await expect.poll(() => shown.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(64)
}

const undo = ({ page }: Device): Locator => page.getByRole('button', { name: 'Undo' })

/** What a card looks like: its colour, its tilt and the moment by which its age is told. */
async function looks(card: Locator): Promise<unknown> {
  return await card.evaluate((article: HTMLElement) => ({
    gradient: article.dataset.gradient,
    tilt: article.dataset.tilt,
    at: article.querySelector('time')?.dateTime,
  }))
}

test(
  'Undo brings back everything that was deleted, as it was, on every device',
  everywhere,
  async ({ device }) => {
    const [ada, bob] = await pair(device)
    await bob.sharesText('Milk')
    await sharesPicture(bob, 'view.png')
    await showsPicture(ada, 'view.png')
    await restsOn(ada)
    const place = await middleOf(ada, 'Milk')
    const before = await Promise.all([ada, bob].map((one) => looks(one.card('Milk'))))

    await ada.keepsToasts()
    await ada.page.keyboard.press('Control+a')
    await ada.page.keyboard.press('Delete')
    await ada.seesToast('Deleted 2 notes')
    await bob.seesNothingOf('view.png')
    await undo(ada).click()

    for (const one of [ada, bob]) {
      await one.sees('Milk')
      await showsPicture(one, 'view.png')
    }
    await expectAt(ada, 'Milk', place)
    await expect.poll(() => Promise.all([ada, bob].map((one) => looks(one.card('Milk'))))).toEqual(before)
  },
)

/** One device deletes a picture and takes that back; both show it again. */
async function deletesAndBringsBack(picture: string, one: Device, other: Device): Promise<void> {
  await one.keepsToasts()
  await one.card(picture).hover()
  await one.card(picture).getByRole('button', { name: 'Delete' }).click()
  await other.seesNothingOf(picture)
  await undo(one).click()
  for (const device of [one, other]) await showsPicture(device, picture)
}

test('the own picture that is in the store has its preview again after Undo', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  await ada.keepsToasts()
  await sharesPicture(ada, 'view.png')
  await ada.seesToast('Uploaded "view.png" Successfully!')
  const bob = await device('Bob')
  await bob.opens(link)
  await showsPicture(bob, 'view.png')

  await deletesAndBringsBack('view.png', ada, bob)
})

test('the own picture that only devices have is given to others again after Undo', async ({ device }) => {
  const [ada, bob] = await pair(device)
  await sharesPicture(ada, 'view.png')
  await showsPicture(bob, 'view.png')

  await deletesAndBringsBack('view.png', ada, bob)
})

for (const who of ['its sender', 'its receiver'] as const) {
  test(`a file that ${who} deletes while it comes goes on after Undo with what has come`, async ({
    device,
    folder,
  }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    // Beginning anew would take more than the half and a window that are allowed below.
    const film = await folder.file('film.bin', 120 * MB)
    const [ada, bob] = await pair(device)
    await ada.sharesFiles(film)
    await bob.takes(film)
    await bob.reaches(film, 50)
    const [one, other] = who === 'its sender' ? [ada, bob] : [bob, ada]
    await one.keepsToasts()
    await one.uses(one.card(film.name), 'Delete')
    await other.seesNothingOf(film.name)
    const before = await directBytesReceived(bob.page)
    await undo(one).click()
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    expect((await directBytesReceived(bob.page)) - before).toBeLessThan(0.5 * film.size + 1.05 * WINDOW)
  })
}

test('one Undo covers two deletions in a row, and goes when the keyboard was first', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  for (const text of ['Milk', 'Bread']) {
    await ada.sharesText(text)
    await ada.sees(text)
  }
  await restsOn(ada)
  await ada.keepsToasts()
  for (const text of ['Milk', 'Bread']) {
    await ada.card(text).focus()
    await ada.page.keyboard.press('Delete')
    await ada.seesNothingOf(text)
  }
  await ada.seesToast('Deleted 2 notes')
  await undo(ada).click()
  for (const text of ['Milk', 'Bread']) await ada.sees(text)

  await ada.card('Milk').focus()
  await ada.page.keyboard.press('Delete')
  await expect(undo(ada)).toBeVisible()
  await ada.page.keyboard.press('Control+z')
  await ada.sees('Milk')
  await expect(undo(ada)).toHaveCount(0)
})

test('Undo brings a note back to its place, which nothing else has taken', everywhere, async ({ device }) => {
  const [ada] = await pair(device)
  for (const text of ['one', 'two', 'three']) {
    await ada.sharesText(text)
    await ada.sees(text)
  }
  await restsOn(ada)
  const place = await middleOf(ada, 'two')
  await ada.keepsToasts()
  await ada.uses(ada.card('two'), 'Delete')
  await expect(ada.card('two')).toHaveCount(0)
  for (const text of ['four', 'five', 'six']) {
    await ada.sharesText(text)
    await ada.sees(text)
  }
  await ada.page.keyboard.press('Escape')
  await undo(ada).click()
  await ada.sees('two')
  await expectAt(ada, 'two', place)
  expect(await coveredNotes(ada)).toEqual([])
})
