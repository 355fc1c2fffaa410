import { expect } from '@playwright/test'
import { expectNothingSerious } from '../support/axe.ts'
import {
  drags,
  emptyPlace,
  expectAt,
  middleOf,
  type Point,
  plus,
  restsOn,
  withNotes,
} from '../support/canvas.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

test('a note is dragged, and is where it was put after a reload', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const from = await middleOf(ada, 'Milk')
  // Not to the left, where the view would make way for the large code after the reload.
  const by = { x: 220, y: from.y > 450 ? -130 : 130 }
  await drags(ada, from, by)
  await expectAt(ada, 'Milk', plus(from, by))

  await ada.page.reload()
  await ada.sees('Milk')
  await expectAt(ada, 'Milk', plus(from, by))
})

test('a held note is in front and straight', async ({ device }) => {
  const ada = await withNotes(device, 'Milk', 'Bread')
  const milk = await middleOf(ada, 'Milk')
  const bread = await middleOf(ada, 'Bread')
  await ada.page.mouse.move(milk.x, milk.y)
  await ada.page.mouse.down()
  await ada.page.mouse.move(bread.x + 20, bread.y + 20, { steps: 4 })
  await expect(ada.card('Milk')).toHaveCSS('rotate', '0deg')
  await ada.page.mouse.up()

  // Where the notes overlap, the press hits the one that was dragged.
  await ada.page.mouse.move(5, 450)
  const top = await ada.page.evaluate(
    ({ x, y }) => document.elementFromPoint(x, y)?.closest('article')?.textContent,
    bread,
  )
  expect(top).toContain('Milk')
})

test('the ground pans with the mouse, the wheel and the space bar', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const start = await middleOf(ada, 'Milk')
  await drags(ada, await emptyPlace(ada.page), { x: 60, y: 40 })
  await expectAt(ada, 'Milk', plus(start, { x: 60, y: 40 }))

  await ada.page.mouse.wheel(30, 100)
  await expectAt(ada, 'Milk', plus(start, { x: 30, y: -60 }))

  // While the space bar is down, the note under the pointer moves with everything else.
  await ada.page.keyboard.down(' ')
  await drags(ada, await middleOf(ada, 'Milk'), { x: -30, y: 60 })
  await ada.page.keyboard.up(' ')
  await expectAt(ada, 'Milk', start)
  await ada.page.reload()
  await ada.sees('Milk')
  await expectAt(ada, 'Milk', start)
})

test('a zoom keeps what is under the pointer, and the buttons go back and show everything', async ({
  device,
}) => {
  const ada = await withNotes(device, 'Milk', 'Bread')
  const milk = await middleOf(ada, 'Milk')
  await ada.page.mouse.move(milk.x, milk.y)
  await ada.page.keyboard.down('Control')
  await ada.page.mouse.wheel(0, -200)
  await ada.page.keyboard.up('Control')
  await expect(ada.page.getByRole('button', { name: 'Zoom 156 %, back to 100 %' })).toBeVisible()
  await expectAt(ada, 'Milk', milk)

  await ada.page.getByRole('button', { name: 'back to 100 %' }).click()
  await expect(ada.page.getByRole('button', { name: 'Zoom 100 %, back to 100 %' })).toBeVisible()
  await ada.page.mouse.move(400, 500)
  await ada.page.mouse.wheel(6000, 4000)
  await expect(ada.card('Milk')).not.toBeInViewport()
  await ada.page.getByRole('button', { name: 'Fit all' }).click()
  await expect(ada.card('Milk')).toBeInViewport({ ratio: 1 })
  await expect(ada.card('Bread')).toBeInViewport({ ratio: 1 })
})

test('two fingers zoom, one finger drags and pans', async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const cdp = await ada.page.context().newCDPSession(ada.page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: Point[]) =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((at, id) => ({ ...at, id })) })
  /** Sent at once, because a finger that rests while the test waits for an answer opens the menu. */
  const drag = (...way: [Point, ...Point[]]) =>
    Promise.all([
      touch('touchStart', way[0]),
      ...way.slice(1).map((at) => touch('touchMove', at)),
      touch('touchEnd'),
    ])
  const milk = await middleOf(ada, 'Milk')
  const by = { x: milk.x > 700 ? -90 : 90, y: 40 }
  await drag(milk, plus(milk, { x: by.x / 2, y: by.y / 2 }), plus(milk, by))
  await expectAt(ada, 'Milk', plus(milk, by))

  const ground = await emptyPlace(ada.page)
  await drag(ground, plus(ground, { x: 20, y: 20 }), plus(ground, { x: 50, y: 30 }))
  await expectAt(ada, 'Milk', plus(milk, plus(by, { x: 50, y: 30 })))

  // Below the large code.
  await Promise.all([
    touch('touchStart', { x: 200, y: 760 }),
    touch('touchStart', { x: 200, y: 760 }, { x: 400, y: 760 }),
    touch('touchMove', { x: 150, y: 760 }, { x: 450, y: 760 }),
    touch('touchEnd'),
  ])
  await expect(ada.page.getByRole('button', { name: 'Zoom 150 %, back to 100 %' })).toBeVisible()
})

for (const end of ['pointercancel', 'lostpointercapture']) {
  test(`a drag ends by ${end}`, everywhere, async ({ device }) => {
    const ada = await withNotes(device, 'Milk')
    const from = await middleOf(ada, 'Milk')
    await ada.page.mouse.move(from.x, from.y)
    const pressed = await ada.page.evaluateHandle(() => {
      const seen = { pointer: -1 }
      addEventListener('pointerdown', ({ pointerId }) => Object.assign(seen, { pointer: pointerId }))
      return seen
    })
    await ada.page.mouse.down()
    await ada.page.mouse.move(from.x + 40, from.y, { steps: 3 })
    await pressed.evaluate(({ pointer }, type) => {
      const ground = document.querySelector('[data-gesture]')
      const how = { pointerId: pointer, bubbles: true, pointerType: 'mouse' }
      ground?.dispatchEvent(new PointerEvent(type, how))
    }, end)
    await ada.page.mouse.move(from.x + 140, from.y + 100)
    await expectAt(ada, 'Milk', { x: from.x + 40, y: from.y })
    await expect(ada.card('Milk').locator('xpath=..')).not.toHaveAttribute('data-held')
    await ada.page.mouse.up()
  })
}

test('a double click copies, a drag does not, and neither does a press on a button', async ({ device }) => {
  const ada = await withNotes(device, 'Milk', 'https://example.org/a')
  await ada.page.evaluate(() => navigator.clipboard.writeText('before'))
  const milk = await middleOf(ada, 'Milk')
  await drags(ada, milk, { x: 30, y: 0 })
  expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe('before')

  await ada.card('Milk').dblclick()
  await ada.seesToast('Text copied successfully!')
  expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe('Milk')

  const link = await middleOf(ada, 'example.org')
  const open = await ada.card('example.org').getByRole('link', { name: 'Open' }).boundingBox()
  if (!open) throw new Error('no link')
  await drags(ada, { x: open.x + 10, y: open.y + 10 }, { x: 80, y: 0 })
  await expectAt(ada, 'example.org', link)
})

test(
  'selected notes move together, go together, and come back to their places',
  everywhere,
  async ({ device }) => {
    const ada = await withNotes(device, 'Milk', 'Bread', 'Lemons')
    const milk = await middleOf(ada, 'Milk')
    const bread = await middleOf(ada, 'Bread')
    const lemons = await middleOf(ada, 'Lemons')
    await ada.card('Milk').click({ modifiers: ['Shift'] })
    await ada.card('Bread').click({ modifiers: ['Shift'] })
    await expect(ada.page.getByText('2 notes selected')).toBeAttached()
    await drags(ada, milk, { x: 20, y: 30 })
    await expectAt(ada, 'Milk', plus(milk, { x: 20, y: 30 }))
    await expectAt(ada, 'Bread', plus(bread, { x: 20, y: 30 }))
    await expectAt(ada, 'Lemons', lemons)

    await ada.page.keyboard.press('Control+z')
    await expectAt(ada, 'Bread', bread)
    await ada.page.keyboard.press('Control+Shift+z')
    await expectAt(ada, 'Bread', plus(bread, { x: 20, y: 30 }))

    await ada.page.keyboard.press('Delete')
    await ada.seesToast('Deleted 2 notes')
    await ada.seesNothingOf('Milk')
    await ada.seesNothingOf('Bread')
    await ada.sees('Lemons')
    await ada.page.keyboard.press('Control+z')
    await ada.sees('Milk')
    await expectAt(ada, 'Milk', plus(milk, { x: 20, y: 30 }))
    await ada.page.keyboard.press('Control+y')
    await ada.seesNothingOf('Milk')
    await ada.page.getByRole('button', { name: 'Undo' }).last().click()
    await ada.sees('Milk')
  },
)

test('a frame selects, Ctrl+A selects all, Escape none', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'Milk', 'Bread')
  const box = await ada.card('Milk').boundingBox()
  if (!box) throw new Error('not drawn')
  await ada.page.keyboard.down('Shift')
  await drags(ada, { x: box.x - 12, y: box.y - 12 }, { x: 40, y: 60 })
  await ada.page.keyboard.up('Shift')
  await expect(ada.page.getByText('1 note selected')).toBeAttached()
  await ada.page.keyboard.press('Control+a')
  await expect(ada.page.getByText('2 notes selected')).toBeAttached()
  await ada.page.keyboard.press('Escape')
  await expect(ada.page.getByText(/selected$/)).toHaveCount(0)
})

test('Escape puts a dragged note back', async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const from = await middleOf(ada, 'Milk')
  await ada.page.mouse.move(from.x, from.y)
  await ada.page.mouse.down()
  await ada.page.mouse.move(from.x + 50, from.y + 20, { steps: 3 })
  await ada.page.keyboard.press('Escape')
  await expectAt(ada, 'Milk', from)
  await ada.page.mouse.up()
  await expectAt(ada, 'Milk', from)
})

test('the buttons of a note keep their size on the screen at any zoom', async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const button = ada.card('Milk').getByRole('button', { name: 'Delete' })
  const width = async () => Math.round((await button.boundingBox())?.width ?? 0)
  await ada.card('Milk').hover()
  const full = await width()
  expect(full).toBeGreaterThan(20)
  const { x, y } = await middleOf(ada, 'Milk')
  for (const [by, least, most] of [
    [-500, 120, 200],
    [1500, 0, 60],
  ] as const) {
    await ada.page.mouse.move(x, y)
    await ada.page.keyboard.down('Control')
    await ada.page.mouse.wheel(0, by)
    await ada.page.keyboard.up('Control')
    const percent = ada.page.getByRole('button', { name: /^Zoom \d+ %/ })
    await expect
      .poll(async () => Number.parseInt((await percent.textContent()) ?? '', 10))
      .toBeLessThan(most + 1)
    await expect
      .poll(async () => Number.parseInt((await percent.textContent()) ?? '', 10))
      .toBeGreaterThan(least)
    await expect.poll(width).toBe(full)
  }
  await button.click()
  await ada.seesNothingOf('Milk')
})

test('the map is shown only with notes, and a press on it moves the view', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const map = ada.page.getByRole('button', { name: 'Map of the notes' })
  await expect(map).toHaveCount(0)
  await ada.sharesText('Milk')
  await ada.sees('Milk')
  await restsOn(ada)
  const box = await map.boundingBox()
  expect(box).toMatchObject({ width: 128, height: 96, x: 1440 - 24 - 128, y: 900 - 24 - 96 })

  // Ten pixels of the map are five hundred of the canvas.
  const from = await middleOf(ada, 'Milk')
  await map.click({ position: { x: 64 + 10, y: 48 + 6 } })
  await expectAt(ada, 'Milk', plus(from, { x: -500, y: -300 }))
})

test('new notes outside of the view are announced, and a press moves the view there', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesText('here first')
  await ada.sees('here first')
  for (let at = 0; at < 18; at += 1) await bob.sharesText(`from Bob ${at}.`)
  await expect(ada.page.getByRole('article')).toHaveCount(19)

  const chip = ada.page.getByRole('button', { name: /^\d+ new notes?$/ })
  await expect(chip).toBeVisible()
  const before = Number.parseInt((await chip.textContent()) ?? '', 10)
  await expectNothingSerious(ada)
  await chip.click()
  await expect
    .poll(async () =>
      (await chip.count()) === 0 ? 0 : Number.parseInt((await chip.textContent()) ?? '', 10),
    )
    .toBeLessThan(before)
  for (let step = 0; step < 18 && (await chip.count()) > 0; step += 1) await chip.click()
  await expect(chip).toHaveCount(0)
})

test('the canvas moves by one transform, and a drag redraws no other note', async ({ device }) => {
  const ada = await withNotes(device, 'Milk', 'Bread', 'Lemons')
  // The server's answer changes the time on a note.
  await ada.hasSentAll()
  const changed = await ada.page.evaluateHandle(() => {
    const names = new Set<string>()
    new MutationObserver((records) => {
      for (const { target } of records) {
        const note = target instanceof Element ? target.closest('[data-note]') : null
        if (note) names.add(note.textContent ?? '')
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    return names
  })
  const seen = () => changed.evaluate((names) => [...names])
  const start = await middleOf(ada, 'Bread')
  await drags(ada, await emptyPlace(ada.page), { x: 30, y: 20 })
  await expectAt(ada, 'Bread', plus(start, { x: 30, y: 20 }))
  expect(await seen()).toEqual([])
  await drags(ada, await middleOf(ada, 'Milk'), { x: 15, y: 10 })
  await ada.sharesText('Salt')
  await ada.sees('Salt')
  const touched = await seen()
  expect(touched.filter((text) => text.includes('Bread') || text.includes('Lemons'))).toEqual([])
  expect(touched.some((text) => text.includes('Milk'))).toBe(true)
})
