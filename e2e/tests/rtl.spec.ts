/** The page in languages that are written to the left: it is mirrored, and the canvas is the same for everybody. */
import { expect } from '@playwright/test'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import {
  drags,
  emptyPlace,
  expectAt,
  middleOf,
  noteBoxes,
  type Point,
  plus,
  restsOn,
} from '../support/canvas.ts'
import type { Device } from '../support/device.ts'
import { expectNothingOutside, expectRoomForLongWords, readsToTheLeft } from '../support/languages.ts'
import { png } from '../support/png.ts'
import { SCENES } from '../support/scenes.ts'
import { type CallDevice, test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

const SCREENS = [
  'home-alone',
  'home-with-items',
  'keep-offered',
  'joiner-with-items',
  'space-with-items',
  'beam-menu',
  'device-list',
  'batches',
  'note-editor',
  'note-viewer',
  'full-view-pdf',
  'login',
  'profile',
  'share-dialog',
  'about',
]

test('every screen in the list is there', () => {
  expect(SCENES.map(({ name }) => name)).toEqual(expect.arrayContaining(SCREENS))
})

for (const { name, on, show } of SCENES.filter((scene) => SCREENS.includes(scene.name))) {
  for (const size of on) {
    test(`${name}-${size} fits when it is mirrored, also with long words, and axe finds nothing serious`, async ({
      device,
      folder,
      server,
    }) => {
      const phone = size === 'phone'
      const looker = await device('Looker', { phone })
      await readsToTheLeft(looker)
      await show({ device, folder, server, looker, phone })
      await expectNothingSerious(looker)
      await expectNoSidewaysScroll(looker)
      await expectNothingOutside(looker)
      if (phone) await looker.page.setViewportSize({ width: 320, height: 844 })
      await expectRoomForLongWords(looker)
      await expectNoSidewaysScroll(looker)
      await expectNothingOutside(looker)
    })
  }
}

/** A desktop device whose page is mirrored, with notes of these texts on its canvas. */
async function withNotes(device: CallDevice, ...texts: string[]): Promise<Device> {
  const ada = await device('Ada')
  await readsToTheLeft(ada)
  await ada.startsBeam()
  for (const text of texts) {
    await ada.sharesText(text)
    await ada.sees(text)
  }
  await restsOn(ada)
  return ada
}

test(
  'a note follows the pointer and the arrow keys, as on a page that is not mirrored',
  everywhere,
  async ({ device }) => {
    const ada = await withNotes(device, 'Milk', 'Bread')
    const from = await middleOf(ada, 'Milk')
    await drags(ada, from, { x: 120, y: 80 })
    await expectAt(ada, 'Milk', plus(from, { x: 120, y: 80 }))
    await ada.card('Milk').focus()
    const milk = async () => (await noteBoxes(ada)).find(({ name }) => name.includes('Milk'))?.x ?? 0
    const before = await milk()
    await ada.page.keyboard.press('Control+ArrowRight')
    await expect.poll(milk).toBeGreaterThan(before)
  },
)

test('new notes keep clear of the bars, which are mirrored', async ({ device }) => {
  const ada = await withNotes(device, ...Array.from({ length: 8 }, (_, at) => `Note ${at}.`))
  const covered = await ada.page.evaluate(() => {
    const map = document.querySelector('[aria-label="Map of the notes"]')?.getBoundingClientRect()
    if (!map || map.left > 100) throw new Error('the map is not at the left')
    return [...document.querySelectorAll('[data-note]')].filter((note) => {
      const { left, bottom } = note.getBoundingClientRect()
      return left < map.right && bottom > map.top
    }).length
  })
  expect(covered).toBe(0)
})

test('a menu opens at the pointer and inside of the window', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const boxAt = async ({ x, y }: Point, name: 'Canvas' | 'Note') => {
    await ada.page.mouse.click(x, y, { button: 'right' })
    const menu = ada.page.getByRole('menu', { name })
    await expect(menu).toBeVisible()
    // It grows when it opens, where the browser does not ask for reduced motion.
    await menu.evaluate((opened) => Promise.all(opened.getAnimations().map(({ finished }) => finished)))
    const box = await menu.boundingBox()
    if (!box) throw new Error('the menu is not drawn')
    await ada.page.keyboard.press('Escape')
    await expect(menu).toHaveCount(0)
    return box
  }
  // The place is at the left edge, where the menu has no room on its own side.
  const atEdge = await boxAt(await emptyPlace(ada.page), 'Canvas')
  expect(atEdge.x).toBe(8)
  const note = await middleOf(ada, 'Milk')
  const onNote = await boxAt(note, 'Note')
  expect(Math.round(onNote.x)).toBe(Math.round(Math.max(8, note.x - onNote.width)))
  expect(Math.round(onNote.y)).toBe(note.y)
})

test('the map moves the view, and the zoom keeps the middle', async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const from = await middleOf(ada, 'Milk')
  const map = ada.page.getByRole('button', { name: 'Map of the notes' })
  // Ten pixels of the map are five hundred of the canvas.
  await map.click({ position: { x: 64 + 10, y: 48 } })
  await expectAt(ada, 'Milk', plus(from, { x: -500, y: 0 }))
  await map.click({ position: { x: 64, y: 48 } })
  const near = await middleOf(ada, 'Milk')
  await ada.page.getByRole('button', { name: 'Zoom in' }).click()
  await expectAt(ada, 'Milk', {
    x: 720 + (near.x - 720) * 1.25,
    y: 450 + (near.y - 450) * 1.25,
  })
})

test(
  'in the full view the left arrow, which is beside the text, leads on',
  everywhere,
  async ({ device }) => {
    const ada = await device('Ada')
    await readsToTheLeft(ada)
    await ada.startsBeam()
    await ada.keepsToasts()
    for (const name of ['one.png', 'two.png']) {
      await ada.picker().setInputFiles({ name, mimeType: 'image/png', buffer: png(640, 400) })
      await ada.sees(name)
      // Of somebody alone, a picture takes its place in the order once the server has it.
      await ada.seesToast(`Uploaded "${name}" Successfully!`)
    }
    await ada.card('one.png').hover()
    await ada
      .card('one.png')
      .getByRole('button', { name: /^Full view/ })
      .click()
    const one = ada.page.getByRole('dialog', { name: 'one.png' })
    const two = ada.page.getByRole('dialog', { name: 'two.png' })
    await expect(one).toBeVisible()
    const [next, previous] = await Promise.all(
      ['Next', 'Previous'].map((name) => one.getByRole('button', { name }).boundingBox()),
    )
    expect(next?.x).toBeLessThan(previous?.x ?? 0)
    await ada.presses('ArrowLeft', two)
    await ada.page.keyboard.press('ArrowRight')
    await expect(one).toBeVisible()
    await one.getByRole('button', { name: 'Next' }).click()
    await expect(two).toBeVisible()
  },
)

test('texts keep their own direction', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'Keys, please.', 'מתי נפגשים?')
  const sides = await ada.page.evaluate(() =>
    [...document.querySelectorAll('[data-note] [dir="auto"]')].map((text) => {
      const range = document.createRange()
      range.selectNodeContents(text)
      const [words, box] = [range.getBoundingClientRect(), text.getBoundingClientRect()]
      const side = words.left - box.left < box.right - words.right ? 'left' : 'right'
      return [text.textContent, side]
    }),
  )
  expect(Object.fromEntries(sides)).toEqual({ 'Keys, please.': 'left', 'מתי נפגשים?': 'right' })
})
