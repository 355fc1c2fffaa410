/** The bar of the selected notes, and the menus of a note and of the ground. */
import { expect } from '@playwright/test'
import { emptyPlace, middleOf, noteBoxes, restsOn, withNotes } from '../support/canvas.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

test(
  'selected notes are aligned and distributed by their bar, which can be undone',
  everywhere,
  async ({ device }) => {
    const ada = await withNotes(device, 'Milk', 'Bread', 'Lemons')
    const steps = { Milk: 1, Bread: 3, Lemons: 9 }
    for (const [text, count] of Object.entries(steps)) {
      await ada.card(text).focus()
      for (let step = 0; step < count; step += 1) await ada.page.keyboard.press('Control+ArrowDown')
    }
    const before = await noteBoxes(ada)
    await ada.page.keyboard.press('Control+a')
    const bar = ada.page.getByRole('toolbar', { name: 'Selected notes' })
    await expect(bar.getByText('3 selected')).toBeVisible()
    await expect(ada.page.getByText('Double Click a note to copy')).toBeHidden()
    const arrange = async (how: string) => {
      await bar.getByRole('button', { name: 'Arrange' }).click()
      await ada.page.getByRole('menuitem', { name: how }).click()
      await restsOn(ada)
      return await noteBoxes(ada)
    }
    expect(new Set((await arrange('Align left')).map(({ x }) => x)).size).toBe(1)
    const spread = (await arrange('Distribute vertically')).map(({ y }) => y).sort((a, b) => a - b)
    const [first = 0, second = 0, third = 0] = spread
    expect(Math.abs(third - second - (second - first))).toBeLessThanOrEqual(1)
    await ada.page.keyboard.press('Control+z')
    await ada.page.keyboard.press('Control+z')
    expect(await noteBoxes(ada)).toEqual(before)

    await bar.getByRole('button', { name: 'Copy' }).click()
    await ada.seesToast('Text copied successfully!')
    await bar.getByRole('button', { name: 'Delete' }).click()
    await ada.seesToast('Deleted 3 notes')
    await expect(bar).toHaveCount(0)
  },
)

test('files of the selection are downloaded', async ({ device, folder }) => {
  const ada = await withNotes(device, 'Milk')
  const file = await folder.file('minutes.bin', 4000)
  await ada.sharesFiles(file)
  await ada.sees(file.name)
  await ada.page.keyboard.press('Control+a')
  const coming = ada.page.waitForEvent('download')
  await ada.page
    .getByRole('toolbar', { name: 'Selected notes' })
    .getByRole('button', { name: 'Download' })
    .click()
  expect((await coming).suggestedFilename()).toBe(file.name)
})

test(
  'a right click on a note opens its menu, and Escape gives the focus back',
  everywhere,
  async ({ device }) => {
    const ada = await withNotes(device, 'Milk', 'Bread')
    const menu = ada.page.getByRole('menu', { name: 'Note' })
    await ada.card('Milk').click({ button: 'right' })
    await menu.getByRole('menuitem', { name: 'Copy' }).click()
    await ada.seesToast('Text copied successfully!')
    await expect(menu).toHaveCount(0)

    await ada.card('Bread').focus()
    await ada.page.keyboard.press('Shift+F10')
    await expect(menu.getByRole('menuitem', { name: 'Copy' })).toBeFocused()
    await ada.page.keyboard.press('Escape')
    await expect(menu).toHaveCount(0)
    await expect(ada.card('Bread')).toBeFocused()

    await ada.card('Bread').click({ button: 'right' })
    await menu.getByRole('menuitem', { name: 'Delete' }).click()
    await ada.seesNothingOf('Bread')
  },
)

test('the menu of the ground pastes, selects, and tidies up', everywhere, async ({ device }) => {
  const ada = await withNotes(device, 'Milk', 'Bread')
  const menu = ada.page.getByRole('menu', { name: 'Canvas' })
  const opens = async (name: string) => {
    const { x, y } = await emptyPlace(ada.page)
    await ada.page.mouse.click(x, y, { button: 'right' })
    await menu.getByRole('menuitem', { name }).click()
    await expect(menu).toHaveCount(0)
  }
  await opens('Select all')
  await expect(ada.page.getByText('2 notes selected')).toBeAttached()
  await opens('Tidy up')
  const boxes = await noteBoxes(ada)
  expect(new Set(boxes.map(({ y }) => y)).size).toBe(1)
  await opens('New note')
  await expect(ada.page.getByRole('dialog', { name: 'Create New Note' })).toBeVisible()
})

test('a long press on a touch screen opens the menu of a note', async ({ device }) => {
  const ada = await withNotes(device, 'Milk')
  const cdp = await ada.page.context().newCDPSession(ada.page)
  const at = await middleOf(ada, 'Milk')
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await expect(ada.page.getByRole('menu', { name: 'Note' })).toBeVisible()
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await ada.page.getByRole('menuitem', { name: 'Select', exact: true }).click()
  await expect(ada.page.getByText('1 note selected')).toBeAttached()
})
