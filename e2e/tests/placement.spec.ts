/** Where notes are put: new ones, dropped ones, and all of them by tidying up. */
import { expect } from '@playwright/test'
import { coveredNotes, drops, expectAt, middleOf, noteBoxes, restsOn, withNotes } from '../support/canvas.ts'
import { png } from '../support/png.ts'
import { RawClient } from '../support/raw-client.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }
const GAP = 28

test('the first note is in the middle, the next 28 px beside it', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesText('first')
  await ada.sees('first')
  await restsOn(ada)
  expect((await middleOf(ada, 'first')).x).toBe(720)
  for (const text of ['second', 'third']) {
    await bob.sharesText(text)
    await ada.sees(text)
  }
  const [first, ...others] = await noteBoxes(ada)
  expect(others.map(({ y }) => y)).toEqual([first?.y, first?.y])
  expect(others.map(({ x }) => Math.abs(x - (first?.x ?? 0)))).toEqual([256 + GAP, 256 + GAP])
})

test('fourteen texts of somebody alone are two columns beside the large code, and the newest is in view', async ({
  device,
}) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  for (let at = 1; at <= 14; at += 1) {
    await ada.sharesText(`short text ${at}.`)
    await expect(ada.card(`short text ${at}.`)).toBeInViewport({ ratio: 1 })
  }
  await restsOn(ada)
  // The code is in the middle while there is nothing beside it.
  const code = await ada.page.getByRole('img', { name: 'QR code of this beam' }).boundingBox()
  const columns = [...new Set((await noteBoxes(ada)).map(({ x }) => x))].sort((a, b) => a - b)
  expect(columns).toHaveLength(2)
  expect(columns[0]).toBeGreaterThan((code?.x ?? 0) + (code?.width ?? 0))
})

test('sixty notes of every size cover none of each other, here and there', async ({ device }) => {
  test.setTimeout(180_000)
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  const bob = await device('Bob')
  await bob.opens(link)
  await ada.seesDevices(2)
  await bob.seesDevices(2)
  for (let at = 1; at < 59; at += 1) {
    await ada.page.evaluate(
      (text) => {
        const data = new DataTransfer()
        data.setData('text/plain', text)
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
      },
      `Note number ${at}. ${'Milk and lemons. '.repeat((at * 7) % 12)}`,
    )
  }
  for (const [at, buffer] of [png(300, 700), png(700, 300)].entries()) {
    await ada.picker().setInputFiles({ name: `${at}.png`, mimeType: 'image/png', buffer })
  }
  const carl = await device('Carl')
  await carl.opens(link)
  for (const one of [ada, bob, carl]) {
    await expect(one.page.getByRole('article')).toHaveCount(60)
    await expect.poll(() => coveredNotes(one)).toEqual([])
  }
  // The view follows what one shared, and stays with what others share.
  await expect(ada.card('1.png')).toBeInViewport({ ratio: 0.9 })
  await expect(bob.card('Note number 1.')).toBeInViewport({ ratio: 0.9 })
  await expect(bob.page.getByRole('button', { name: /new notes$/ })).toBeVisible()
})

test(
  'a device that joins late sees the newest of more notes than fit its view',
  everywhere,
  async ({ device }) => {
    const ada = await device('Ada')
    const link = await ada.startsBeam()
    const raw = await RawClient.joins(link)
    for (let at = 1; at <= 60; at += 1) {
      raw.send({ type: 'share_clipboard', message: `Note number ${at}.`, extra: 'text' })
    }
    await expect(ada.page.getByRole('article')).toHaveCount(60)

    const bob = await device('Bob')
    await bob.opens(link)
    await expect(bob.page.getByRole('article')).toHaveCount(60)
    await expect(bob.card('Note number 60.')).toBeInViewport({ ratio: 1 })
    await expect(bob.card('Note number 1.')).not.toBeInViewport()
  },
)

test('a device that joins late sees all that fits its view, and nothing under a bar', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  const long = 'Milk, bread and lemons from the market in the old town. '.repeat(9)
  const texts = ['one', long, 'https://www.wikipedia.org/wiki/Heliograph', 'four', 'five', long, 'seven']
  for (const text of texts) await ada.sharesText(text)
  await expect(ada.page.getByRole('article')).toHaveCount(texts.length)

  const bob = await device('Bob')
  await bob.opens(link)
  await bob.seesDevices(2)
  await expect(bob.page.getByRole('article')).toHaveCount(texts.length)
  for (const card of await bob.page.getByRole('article').all()) {
    await expect(card).toBeInViewport({ ratio: 1 })
    const box = await card.boundingBox()
    expect(box?.y).toBeGreaterThan(128)
    expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(740)
  }
  // The long ones have the room for their button.
  await expect(bob.page.getByRole('button', { name: 'Show all' })).toHaveCount(2)
  const boxes = await noteBoxes(bob)
  const gaps = boxes.flatMap(({ x, y, height }) =>
    boxes.filter((below) => below.x === x && below.y > y).map((below) => below.y - y - height),
  )
  expect(gaps.length).toBeGreaterThan(0)
  expect(Math.min(...gaps)).toBe(GAP)
})

test('what is dropped lands under the pointer, several as a block', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'here first')
  await drops(ada, { x: 760, y: 220 }, { 'text/plain': 'Milk' })
  await ada.sees('Milk')
  await expectAt(ada, 'Milk', { x: 760, y: 220 })
  await drops(ada, { x: 1000, y: 560 }, { 'text/uri-list': 'https://a.example/\r\nhttps://b.example/' })
  await ada.sees('a.example')
  await ada.sees('b.example')
  await expectAt(ada, 'a.example', { x: 1000, y: 560 })
  expect(await coveredNotes(ada)).toEqual([])

  const field = await ada.opensMessageField()
  expect(await drops(field, { x: 0, y: 0 }, { 'text/plain': 'Bread' })).toBe('left to the browser')
  await ada.seesNothingOf('Bread')
})

test('tidying up puts all notes in rows, and can be undone', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'Milk', 'Bread', 'Lemons', 'Salt')
  for (const [at, text] of ['Milk', 'Bread', 'Lemons', 'Salt'].entries()) {
    await ada.card(text).focus()
    for (let step = 0; step <= at; step += 1) await ada.page.keyboard.press('Control+Shift+ArrowDown')
  }
  const before = await noteBoxes(ada)
  await ada.page.getByRole('button', { name: 'Tidy up' }).click()
  await restsOn(ada)
  const after = await noteBoxes(ada)
  // Beside the large code there is room for two columns.
  const distances = (of: number[]) =>
    [...new Set(of)].sort((a, b) => a - b).map((x, _, all) => x - (all[0] ?? 0))
  expect(distances(after.map(({ x }) => x))).toEqual([0, 284])
  expect(distances(after.map(({ y }) => y))).toEqual([0, 108])
  await ada.page.keyboard.press('Control+z')
  expect(await noteBoxes(ada)).toEqual(before)
})
