import { expect } from '@playwright/test'
import { expectNothingSerious } from '../support/axe.ts'
import { clipboardFixture, NoteEditor, opensNote, startsNote } from '../support/note.ts'
import { png } from '../support/png.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

test('writing begins in the title, or behind the text of an older note', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const editor = await NoteEditor.creates(ada)
  await ada.page.keyboard.type('Two words')
  await expect(editor.title).toHaveValue('Two words')
  await editor.titles('Shopping')
  await editor.types('Milk')
  await editor.saves()
  const again = await NoteEditor.edits(ada, 'Shopping')
  await ada.page.keyboard.type(' and bread')
  await expect(again.text).toHaveText('Milk and bread')
})

test(
  'by the keys alone, a note is written, saved with Ctrl+Enter, and its text can be left',
  everywhere,
  async ({ device }) => {
    const ada = await device('Ada')
    await ada.startsBeam()
    const editor = await NoteEditor.creates(ada)
    const keys = ada.page.keyboard
    await keys.type('Shopping')
    await keys.press('Tab')
    await keys.type('Milk')
    await expect(editor.text).toBeFocused()
    await keys.press('Shift+Tab')
    await expect(editor.text).not.toBeFocused()
    await keys.press('Tab')
    await expect(editor.text).toBeFocused()
    await expect(editor.text).toHaveText('Milk')
    await keys.press('Control+Enter')
    await ada.sees('Shopping')
    await expect(editor.text).toHaveCount(0)
  },
)

test('a note is saved with Ctrl+S also while a button has the focus', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Shopping')
  await ada.page.getByRole('button', { name: 'Cancel' }).press('Control+s')
  await ada.sees('Shopping')
  await expect(editor.text).toHaveCount(0)
})

test('every text tool has its effect', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  for (const tool of ['Bold', 'Italic', 'Underline', 'Strikethrough', 'Code', 'Mark']) {
    await editor.uses(tool)
    await expect(editor.tool(tool)).toHaveAttribute('aria-pressed', 'true')
    await editor.types(tool)
    await editor.uses(tool)
    await editor.types(' ')
  }
  await editor.setsSize('28')
  await editor.types('large ')
  await editor.setsSize('15')
  await editor.chooses('Text colour', 'Red')
  await editor.types('red ')
  await editor.chooses('Text colour', 'Default')
  await editor.chooses('Background colour', 'Yellow')
  await editor.types('on yellow')
  await editor.chooses('Background colour', 'None')
  await editor.types('Enter', 'middle')
  await editor.uses('Align centre', 'Indent', 'Indent', 'Outdent')
  await editor.saves()

  const viewer = await opensNote(editor.device, 'Bold')
  for (const [selector, words] of Object.entries({
    strong: 'Bold',
    em: 'Italic',
    u: 'Underline',
    s: 'Strikethrough',
    code: 'Code',
    mark: 'Mark',
  })) {
    await expect(viewer.locator(selector)).toHaveText(words)
  }
  await expect(viewer.getByText('large')).toHaveCSS('font-size', '28px')
  await expect(viewer.locator('span', { hasText: 'red' })).toHaveAttribute('style', /rgb\(176, 33, 45\)/)
  await expect(viewer.locator('span', { hasText: 'on yellow' })).toHaveCSS(
    'background-color',
    'rgb(255, 233, 176)',
  )
  const middle = viewer.locator('p', { hasText: 'middle' })
  await expect(middle).toHaveCSS('text-align', 'center')
  await expect(middle).toHaveCSS('padding-left', '40px')
})

test('there are twelve sizes, 15 px unless chosen', async ({ device }) => {
  const editor = await startsNote(device)
  const sizes = editor.page.getByRole('combobox', { name: 'Font size' })
  await expect(sizes).toHaveValue('15')
  expect(await sizes.locator('option').allTextContents()).toEqual([
    '10',
    '11',
    '12',
    '13',
    '14',
    '15',
    '16',
    '18',
    '20',
    '24',
    '28',
    '32',
  ])
})

test('kinds of text, lists and boxes to tick', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  for (const kind of ['Heading 1', 'Heading 2', 'Heading 3', 'Quote', 'Code block', 'Paragraph']) {
    await editor.setsKind(kind)
    await editor.types(kind)
    // A code block continues after one line break, and ends after three.
    await editor.types(...(kind === 'Code block' ? ['Enter', 'Enter', 'Enter'] : ['Enter']))
  }
  for (const list of ['Bulleted list', 'Numbered list', 'Check list']) {
    await editor.uses(list)
    await editor.types(list, 'Enter', 'Enter')
  }
  await editor.uses('Bulleted list')
  await editor.types('outer', 'Enter', 'Tab', 'inner')
  await editor.text.getByRole('checkbox').click({ position: { x: 8, y: 12 } })
  await expect(editor.text.getByRole('checkbox')).toBeChecked()
  await expectNothingSerious(editor.device)
  await editor.saves()

  const viewer = await opensNote(editor.device, 'Heading 1')
  await expect(viewer.getByRole('heading', { name: 'Heading 1' })).toHaveAttribute('data-level', '1')
  await expect(viewer.getByRole('heading', { name: 'Heading 3' })).toHaveAttribute('data-level', '3')
  await expect(viewer.locator('blockquote')).toHaveText('Quote')
  await expect(viewer.locator('pre')).toContainText('Code block')
  await expect(viewer.locator('ol > li')).toHaveText('Numbered list')
  await expect(viewer.getByRole('checkbox')).toBeChecked()
  await expect(viewer.locator('ul ul li')).toHaveText('inner')
})

test('markdown becomes what it means', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  await editor.types(
    '## Plan',
    'Enter',
    '- first',
    'Enter',
    'Enter',
    '> said',
    'Enter',
    'Enter',
    'so **bold** it is',
  )
  await expect(editor.text.locator('h2')).toHaveText('Plan')
  await expect(editor.text.locator('ul > li')).toHaveText('first')
  await expect(editor.text.locator('blockquote')).toContainText('said')
  await expect(editor.text.locator('strong')).toHaveText('bold')
})

test('links are made, completed, refused and found by themselves', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  const link = async (address: string) => {
    await editor.tool('Link').click()
    const form = editor.page.getByRole('dialog', { name: 'Link' })
    await editor.device.enters(form.getByRole('textbox'), address)
    await form.getByRole('textbox').press('Enter')
    await expect(form).toBeHidden()
    await editor.types('End', ' ')
  }
  await link('example.org/a')
  await link('ada@example.org')
  await link('+49 (151) 12345')
  await link('javascript:alert(1)')
  await editor.types('see https://example.org/auto now')
  const hrefs = () =>
    editor.text.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
  await expect
    .poll(hrefs)
    .toEqual([
      'https://example.org/a',
      'mailto:ada@example.org',
      'tel:+49 (151) 12345',
      'about:blank',
      'https://example.org/auto',
    ])
})

test('a table has all its actions', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  await editor.tool('Table').click()
  const form = editor.page.getByRole('dialog', { name: 'Table' })
  for (const [name, count] of [
    ['Rows', '3'],
    ['Columns', '2'],
  ] as const) {
    await form.getByRole('spinbutton', { name }).press('Control+a')
    await editor.types(count)
  }
  await form.getByRole('button', { name: 'Insert table' }).click()
  const rows = editor.text.locator('tr')
  await expect(rows).toHaveCount(3)
  await expect(editor.text.locator('th')).toHaveCount(2)
  await editor.types('Who', 'Tab', 'Brings', 'Tab', 'Mira', 'Tab', 'Coffee')

  await editor.chooses('Table', 'Insert row below')
  await expect(rows).toHaveCount(4)
  await editor.chooses('Table', 'Insert column after')
  await expect(rows.first().locator('th')).toHaveCount(3)
  await editor.types('ArrowDown')
  await editor.chooses('Table', 'Delete row')
  await expect(rows).toHaveCount(3)
  await editor.text.locator('tr').nth(1).locator('td').first().click()
  await editor.chooses('Table', 'Header column')
  await expect(editor.text.locator('th')).toHaveCount(5)
  await editor.chooses('Table', 'Striped rows')
  await editor.chooses('Table', 'Freeze first row')
  await editor.chooses('Table', 'Freeze first column')
  await editor.chooses('Table', 'Align bottom')
  await editor.chooses('Table', 'Green')
  await editor.chooses('Table', 'Wider column')

  const cells = editor.text.locator('tr').nth(1).locator('th, td')
  await cells.nth(0).hover()
  await editor.device.page.mouse.down()
  await cells.nth(1).hover()
  await editor.device.page.mouse.up()
  await editor.chooses('Table', 'Merge cells')
  await expect(editor.text.locator('[colspan="2"]')).toHaveCount(1)
  await editor.chooses('Table', 'Split cell')
  await expect(editor.text.locator('[colspan="2"]')).toHaveCount(0)
  await editor.saves()

  const viewer = await opensNote(editor.device, 'Mira')
  const table = viewer.getByRole('table')
  await expect(table).toHaveAttribute('data-striped', '')
  await expect(table).toHaveAttribute('data-frozen-row', '')
  await expect(table).toHaveAttribute('data-frozen-column', '')
  await expect(table.getByRole('columnheader', { name: 'Who' })).toBeVisible()
  await expect(table.getByRole('rowheader').first()).toHaveCSS('background-color', 'rgb(205, 240, 221)')
  await expect(table.getByRole('rowheader').first()).toHaveCSS('vertical-align', 'bottom')
  await expectNothingSerious(editor.device)
})

test('a column is made wider by dragging its edge', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  await editor.tool('Table').click()
  await editor.page.getByRole('button', { name: 'Insert table' }).click()
  const cell = editor.text.locator('th').first()
  const before = await cell.boundingBox()
  if (!before) throw new Error('no cell')
  const { mouse } = editor.device.page
  await mouse.move(before.x + before.width - 2, before.y + 10)
  await mouse.down()
  await mouse.move(before.x + before.width + 58, before.y + 10, { steps: 4 })
  await mouse.up()
  await expect
    .poll(async () => Math.round((await cell.boundingBox())?.width ?? 0))
    .toBe(Math.round(before.width) + 60)
})

test('undo goes back ten steps and no further', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  await editor.types('start')
  for (let step = 0; step < 12; step += 1) await editor.uses('Indent')
  for (let step = 0; step < 10; step += 1) await editor.uses('Undo')
  await expect(editor.tool('Undo')).toBeDisabled()
  await expect(editor.text).toContainText('start')
  for (let step = 0; step < 10; step += 1) await editor.uses('Redo')
  await expect(editor.tool('Redo')).toBeDisabled()
})

for (const name of ['word', 'google-docs', 'outlook-mail', 'excel', 'hostile']) {
  test(
    `what ${name} puts on the clipboard comes in, and nothing is fetched or run`,
    everywhere,
    async ({ device }) => {
      const editor = await startsNote(device)
      const asked: string[] = []
      editor.device.page.on('request', (request) => asked.push(request.url()))
      const html = await clipboardFixture(name)
      const math = '<math><mi xlink:href="javascript:document.title=\'owned\'">x</mi></math>'
      await editor.pastes(name === 'hostile' ? math + html : html)
      const said: Record<string, string> = {
        word: 'Present: Ada, Bob and Cyd',
        'google-docs': 'Plain, important',
        'outlook-mail': 'Unsubscribe or read online',
        excel: 'Milk',
        hostile: 'Words styled',
      }
      await expect(editor.text).toContainText(said[name] ?? '')
      await editor.saves()
      await editor.device.sees(said[name] ?? '')
      expect(
        asked.filter((url) => !url.startsWith(editor.device.origin) && !/^(?:data|blob):/.test(url)),
      ).toEqual([])
      expect(await editor.device.page.title()).not.toBe('owned')
      if (name !== 'word') return
      const viewer = await opensNote(editor.device, 'Present')
      await expect(viewer.getByText('Cyd', { exact: true })).toHaveAttribute('style', /rgb\(0, 112, 192\)/)
    },
  )
}

test('text typed before the editor opens is in the note', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await ada.enters(await ada.opensMessageField(), 'Dinner at eight')
  const editor = await NoteEditor.creates(ada)
  await expect(editor.text).toHaveText('Dinner at eight')
  await editor.saves()
  await ada.sees('Dinner at eight')
  await expect(ada.page.getByRole('button', { name: 'Message', exact: true })).toBeVisible()
})

test('leaving asks for confirmation only when something would be lost', async ({ device }) => {
  const editor = await startsNote(device)
  const ask = editor.device.page.getByRole('alertdialog', { name: 'Discard this note?' })
  await editor.device.page.keyboard.press('Escape')
  await expect(ask).toBeVisible()
  await ask.getByRole('button', { name: 'Cancel' }).click()
  await expect(editor.title).toHaveValue('Note')
  await editor.page.getByRole('button', { name: 'Cancel' }).click()
  await ask.getByRole('button', { name: 'Discard' }).click()
  await expect(editor.page).toHaveCount(0)

  const empty = await NoteEditor.creates(editor.device)
  await expect(empty.title).toHaveValue('')
  await empty.page.getByRole('button', { name: 'Cancel' }).click()
  await expect(empty.page).toHaveCount(0)
})

test('a reload loses nothing that was written', async ({ device }) => {
  const editor = await startsNote(device)
  await editor.types('half a thought')
  await editor.picks('Dot.png', png(60, 60))
  await expect
    .poll(() => editor.device.page.evaluate(() => sessionStorage.getItem('heliograph.note-draft') ?? ''))
    .toMatch(/half a thought[\s\S]*data:image/)
  await editor.device.page.reload()
  const again = await NoteEditor.creates(editor.device)
  await expect(again.title).toHaveValue('Note')
  await expect(again.text).toContainText('half a thought')
  await expect(again.text.locator('img')).toHaveCount(1)
})

test('a paste that is too large for a note is refused with a reason', async ({ device }) => {
  const editor = await startsNote(device)
  await editor.text.pressSequentially('before')
  const words = 'words and more words '.repeat(7000)
  await editor.device.page.evaluate((text) => navigator.clipboard.writeText(text), words)
  await editor.text.press('Control+v')
  await expect(editor.page.getByRole('alert')).toContainText('A note holds at most 128 KiB')
  await expect(editor.text).toHaveText('before')
  await editor.text.pressSequentially(' and after')
  await editor.page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(editor.device.card('before and after')).toBeVisible()
})

test('the whole editor works by the keyboard', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  await editor.tool('Bold').focus()
  await editor.device.page.keyboard.press('ArrowRight')
  await expect(editor.tool('Italic')).toBeFocused()
  await editor.tool('Table').focus()
  await editor.device.page.keyboard.press('Enter')
  const form = editor.page.getByRole('dialog', { name: 'Table' })
  await expect(form.getByRole('spinbutton', { name: 'Rows' })).toBeFocused()
  await editor.device.page.keyboard.press('Escape')
  await expect(form).toBeHidden()
  await expect(editor.page).toBeVisible()
  await expect(editor.device.page.getByRole('alertdialog')).toHaveCount(0)
})

test('on a phone the tools are below the text, six of them without scrolling', async ({ device }) => {
  const bob = await device('Bob', { phone: true })
  await bob.opensSpace()
  await bob.page.getByRole('button', { name: 'New Beam' }).click()
  const editor = await NoteEditor.creates(bob, 'space menu')
  await editor.titles('From the phone')
  await editor.uses('Check list')
  await editor.types('Sleeping bags')

  const text = await editor.text.boundingBox()
  const toolbar = await editor.page.getByRole('toolbar').boundingBox()
  expect(toolbar?.y).toBeGreaterThan(700)
  expect(toolbar?.y).toBeGreaterThan(text?.y ?? 0)
  for (const tool of ['Bold', 'Italic', 'Mark', 'Check list', 'Link', 'Image']) {
    const box = await editor.tool(tool).boundingBox()
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
    expect(box?.height).toBeGreaterThanOrEqual(44)
  }
  await editor.uses('Numbered list')
  await expectNothingSerious(bob)
  await editor.saves()
  await bob.sees('Sleeping bags')
})

test('a long title is shown whole', async ({ device }) => {
  const editor = await startsNote(device)
  const height = async () => (await editor.title.boundingBox())?.height ?? 0
  const oneLine = await height()
  await editor.title.fill('What everybody brings to the cabin for the long weekend by the lake in August')
  await expect.poll(height).toBeGreaterThan(1.9 * oneLine)
  expect(await editor.title.evaluate((field) => field.scrollHeight - field.clientHeight)).toBe(0)
})
