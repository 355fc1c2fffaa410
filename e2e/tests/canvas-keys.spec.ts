/** The canvas by the keyboard: from note to note, past the bars, and to notes that are not drawn. */
import { expect } from '@playwright/test'
import { expectNothingSerious } from '../support/axe.ts'
import { expectAt, middleOf, plus, walksBackIntoNotes, withNotes } from '../support/canvas.ts'
import { RawClient } from '../support/raw-client.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

test(
  'the notes are one stop of Tab; arrow keys go from note to note, move, copy and delete them',
  everywhere,
  async ({ device }) => {
    const ada = await device('Ada')
    const bob = await RawClient.joins(await ada.startsBeam())
    await ada.seesDevices(2, { plain: 1 })
    for (const text of ['one', 'two', 'three']) {
      await ada.sharesText(text)
      await ada.sees(text)
    }
    const order = await ada.page.getByRole('article').evaluateAll((all) =>
      all
        .map((element) => ({ name: element.ariaLabel ?? '', ...element.getBoundingClientRect().toJSON() }))
        .sort((a, b) => a.x - b.x)
        .map(({ name }) => name),
    )
    const focused = () => ada.page.evaluate(() => document.activeElement?.ariaLabel ?? '')
    await walksBackIntoNotes(ada)
    await ada.page.keyboard.press('Home')
    const walked: string[] = []
    for (let step = 0; step < 3; step += 1) {
      walked.push(await focused())
      await ada.page.keyboard.press('ArrowRight')
    }
    expect(walked).toEqual(order)
    await ada.page.keyboard.press('Tab')
    await expect(ada.page.getByRole('button', { name: 'Zoom out' })).toBeFocused()
    await ada.page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe(order[2])

    await ada.page.keyboard.press('F2')
    expect(await focused()).toBe('Copy')
    await ada.page.keyboard.press('Tab')
    expect(await focused()).toBe('Edit')
    await ada.page.keyboard.press('Tab')
    expect(await focused()).toBe('Delete')
    await ada.page.keyboard.press('Escape')
    expect(await focused()).toBe(order[2])

    const text = (order[2] ?? '').replace('Text, ', '')
    const from = await middleOf(ada, text)
    await ada.page.keyboard.press('Control+ArrowRight')
    await ada.page.keyboard.press('Control+Shift+ArrowDown')
    await expectAt(ada, text, plus(from, { x: 10, y: 50 }))
    await ada.page.keyboard.press('Control+c')
    await ada.seesToast('Text copied successfully!')
    expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe(text)
    await ada.page.keyboard.press('Delete')
    await ada.page.getByRole('button', { name: 'Undo' }).waitFor()
    await ada.seesNothingOf(text)
    await expect.poll(focused).toBe(order[1])
    bob.leaves()
  },
)

test('a link leads past the bars to the notes, and a question mark lists the keys', async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  await ada.page.reload()
  await ada.sees('Milk')
  await ada.page.keyboard.press('Tab')
  await expect(ada.page.getByRole('link', { name: 'Skip to the notes' })).toBeFocused()
  await ada.page.keyboard.press('Enter')
  await expect(ada.card('Milk')).toBeFocused()
  await ada.page.keyboard.press('?')
  const help = ada.page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help.getByText('Tidy up')).toBeVisible()
  await expectNothingSerious(ada)
  await ada.page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  await expect(ada.card('Milk')).toBeFocused()
})

test('a note that gets the focus by Tab comes into view', async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  await ada.page.mouse.move(600, 500)
  await ada.page.mouse.wheel(3000, 2000)
  await expect(ada.card('Milk')).not.toBeInViewport()
  await walksBackIntoNotes(ada)
  await expect(ada.card('Milk')).toBeFocused()
  await expect(ada.card('Milk')).toBeInViewport({ ratio: 1 })
})

test('with more notes than are drawn, the one with the focus is drawn', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await RawClient.joins(await ada.startsBeam())
  for (let at = 0; at < 150; at += 1)
    bob.send({ type: 'share_clipboard', message: `Note ${at}`, extra: 'text' })
  await expect(ada.page.getByRole('article')).toHaveCount(150)
  await ada.page.getByRole('button', { name: 'Fit all' }).click()
  const plates = await ada.page
    .locator('article:not(:has(header))')
    .evaluateAll((notes) => notes.map((note) => note.ariaLabel))
  expect(plates.length).toBeGreaterThan(0)
  await walksBackIntoNotes(ada)
  const focused = ada.page.locator('article:focus')
  await ada.page.keyboard.press('Home')
  for (let step = 0; step < 150 && !plates.includes(await focused.getAttribute('aria-label')); step += 1) {
    await ada.page.keyboard.press('ArrowDown')
  }
  expect(plates).toContain(await focused.getAttribute('aria-label'))
  await expect(focused.getByRole('time')).toBeVisible()
  // Its edge may lie on half a pixel.
  await expect(focused).toBeInViewport({ ratio: 0.99 })
  bob.leaves()
})
