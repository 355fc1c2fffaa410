import { expect } from '@playwright/test'
import { hasAccount, savesBeam } from '../support/account.ts'
import { expectNothingSerious } from '../support/axe.ts'
import { NoteEditor, opensNote } from '../support/note.ts'
import { RawClient } from '../support/raw-client.ts'
import { test } from '../support/stage.ts'

test('a note is written on one device and read on the others', { tag: '@everywhere' }, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)

  const editor = await NoteEditor.creates(ada)
  await expect(editor.page.getByText('Enter some rich text...')).toBeVisible()
  await expect(editor.page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await editor.titles('Cabin weekend')
  await editor.types('Keys are with ', 'Control+b', 'Jonas', 'Control+b', '.')
  await editor.saves()

  for (const person of [ada, bob]) {
    const card = person.page.getByRole('article', { name: 'Note, Cabin weekend' })
    await expect(card.locator('strong')).toHaveText('Jonas')
    await expect(card).toContainText('Keys are with Jonas.')
  }
})

test('a note without a title shows that it has none', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const editor = await NoteEditor.creates(ada)
  await editor.text.click()
  await editor.types('no title at all')
  await editor.saves()
  await expect(ada.card('no title at all')).toContainText('Untitled Note')
})

test('an edited note changes for everyone and keeps its place', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Shopping')
  await editor.types('Milk')
  await editor.saves()
  await ada.sharesText('shared after it')
  await bob.sees('shared after it')

  const again = await NoteEditor.edits(ada, 'Shopping')
  await expect(again.page.getByRole('button', { name: 'Update' })).toBeVisible()
  await expect(again.title).toHaveValue('Shopping')
  await again.text.press('Control+End')
  await again.types(' and bread')
  await again.saves()

  for (const person of [ada, bob]) {
    await person.sees('Milk and bread')
    await expect(person.page.getByRole('article')).toHaveCount(2)
  }
  await expect(ada.page.getByRole('article').first()).toContainText('Milk and bread')
  // The phone shows the newest first.
  await expect(bob.page.getByRole('article').last()).toContainText('Milk and bread')
})

test('the editor shows that another device has changed the note', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Shopping')
  await editor.types('Milk')
  await editor.saves()
  await bob.sees('Milk')

  const hers = await NoteEditor.edits(ada, 'Shopping')
  const his = await NoteEditor.edits(bob, 'Shopping')
  await his.titles('Groceries')
  await his.saves()
  await expect(hers.page.getByRole('alert')).toContainText('Another device has changed this note')
})

test('the viewer shows a note in full, read-only', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Cabin weekend')
  await editor.types(...Array.from({ length: 40 }, (_, line) => [`line ${line}`, 'Enter']).flat())
  await editor.saves()
  await expect(ada.card('Cabin weekend').getByRole('button', { name: 'Show all' })).toBeVisible()

  const card = ada.card('Cabin weekend')
  await card.focus()
  await card.press('Enter')
  const viewer = ada.page.getByRole('dialog', { name: 'Note' })
  await expect(viewer).toContainText('line 39')
  await expect(viewer.locator('[contenteditable], input, textarea')).toHaveCount(0)
  await expectNothingSerious(ada)
  await ada.page.keyboard.press('Escape')
  await expect(viewer).toHaveCount(0)
  await expect(card).toBeFocused()
})

test('a copied note is html and plain text', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Shopping')
  await editor.types('Control+i', 'Milk')
  await editor.saves()
  await ada.card('Shopping').hover()
  await ada.card('Shopping').getByRole('button', { name: 'Copy' }).click()
  await ada.seesToast('Text copied successfully!')

  const copied = await ada.page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    const text = async (type: string) => await (await item?.getType(type))?.text()
    return { plain: await text('text/plain'), html: await text('text/html') }
  })
  expect(copied.plain).toBe('Shopping\n\nMilk')
  expect(copied.html).toContain('<em>Milk</em>')
})

test('a broken note shows an error in red, and the others are not affected', async ({ device }) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  const raw = await RawClient.joins(link)
  const deep = JSON.parse(`${'{"type":"quote","children":['.repeat(500)}${']}'.repeat(500)}`) as unknown
  const root = (...children: unknown[]) => ({ root: { type: 'root', children } })
  for (const [title, content] of Object.entries({
    'Not a state': 'neither JSON nor a state',
    'An unknown node': root({ type: 'iframe', src: 'https://evil.example' }),
    // As text, because the server refuses messages this deep.
    'Too deep': JSON.stringify(root(deep)),
  })) {
    raw.send({ type: 'share_clipboard', message: { title, content }, extra: 'lexi_note' })
  }
  const link1 = {
    type: 'link',
    url: 'javascript:document.title="owned"',
    children: [{ type: 'text', text: 'press me' }],
  }
  const picture = { type: 'image', src: 'https://evil.example/pixel.gif', altText: 'A pixel' }
  const hostile = root({ type: 'paragraph', children: [link1, picture] })
  const asked: string[] = []
  ada.page.on('request', (request) => asked.push(request.url()))
  raw.send({ type: 'share_clipboard', message: { title: 'Hostile', content: hostile }, extra: 'lexi_note' })

  await ada.sees('Hostile')
  for (const title of ['Not a state', 'An unknown node', 'Too deep']) {
    await expect(ada.card(title).getByText('An error was thrown.')).toBeVisible()
  }
  const red = await ada
    .card('Too deep')
    .getByText('An error was thrown.')
    .evaluate((text) => getComputedStyle(text).color)
  expect(red).toMatch(/^rgb\((?:1[5-9]\d|2\d\d), \d{1,2}, \d{1,2}\)$/)
  await expect(ada.card('Hostile').getByRole('link', { name: 'press me' })).toHaveAttribute(
    'href',
    'about:blank',
  )
  await expect(ada.card('Hostile').getByRole('img', { name: 'A pixel' })).toBeVisible()
  expect(asked.filter((url) => url.includes('evil'))).toEqual([])
  await ada.sharesText('life goes on')
  await ada.sees('life goes on')
  raw.leaves()
})

test('a note of a saved beam is there after a reload, can be edited, and stays edited', async ({
  device,
}) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'before')
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Shopping')
  await editor.types('Milk')
  await editor.saves()
  await ada.page.reload()
  await ada.sees('Milk')

  const again = await NoteEditor.edits(ada, 'Shopping')
  await again.text.press('Control+End')
  await again.types(' and bread')
  await again.saves()
  const bob = await device('Bob')
  await bob.opens(link)
  await bob.sees('Milk and bread')
  await expect(bob.page.getByRole('article')).toHaveCount(2)
})

test('a person who may only read has no Edit', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await hasAccount(ada)
  const link = await savesBeam(ada, 'Cabin', 'before')
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Shopping')
  await editor.saves()
  const id = new URL(link).searchParams.get('beam_id')
  const answer = await ada.context.request.put(`${ada.origin}/api/beams/${id}/`, {
    data: { link_access: 'read' },
  })
  expect(answer.ok()).toBe(true)
  await bob.opens(link)
  const viewer = await opensNote(bob, 'Shopping')
  await expect(viewer.getByRole('button', { name: 'Edit' })).toHaveCount(0)
})
