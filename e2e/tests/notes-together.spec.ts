/** Several people change the same note or text: nothing is lost in silence. */
import { expect, type Locator } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { NoteEditor, opensNote } from '../support/note.ts'
import { RawClient } from '../support/raw-client.ts'
import { type CallDevice, test } from '../support/stage.ts'

async function twoDevices(device: CallDevice): Promise<{ ada: Device; bob: Device; link: string }> {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  return { ada, bob, link }
}

/** Shares a note with a check list of two items. */
async function sharesList(ada: Device): Promise<void> {
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Packing')
  await editor.uses('Check list')
  await editor.types('Bags', 'Enter', 'Torches')
  await editor.saves()
}

const box = (device: Device, item: string): Locator =>
  device.card('Packing').getByRole('checkbox', { name: item })

test('a check list is ticked on the card, by the keyboard too, and in the viewer', {
  tag: '@everywhere',
}, async ({ device }) => {
  const { ada, bob } = await twoDevices(device)
  await sharesList(ada)
  await box(bob, 'Bags').click()
  for (const person of [ada, bob]) await expect(box(person, 'Bags')).toBeChecked()
  await box(ada, 'Torches').press(' ')
  for (const person of [ada, bob]) await expect(box(person, 'Torches')).toBeChecked()
  const viewer = await opensNote(ada, 'Packing')
  await viewer.getByRole('checkbox', { name: 'Bags' }).click()
  await expect(box(bob, 'Bags')).not.toBeChecked()
  await expect(box(bob, 'Torches')).toBeChecked()
  await expect(ada.page.getByRole('dialog')).toHaveCount(1)
})

test.describe('at the same moment as another device', () => {
  // It reads and writes clear text.
  test.use({ clear: true })

  test('a tick is not lost when the other ticks too', async ({ device }) => {
    const { ada, bob, link } = await twoDevices(device)
    const carol = await RawClient.joins(link)
    await sharesList(ada)
    const { message: first } = await carol.next('rec_clipboard')
    await box(ada, 'Bags').click()
    const ticked = (await carol.next('rec_clipboard')) as unknown as { id: string; message: { base: string } }
    // Made from the version before, as if Ada's tick had not arrived yet.
    const { base } = ticked.message
    const content = JSON.stringify(first).replace(
      /"checked":false(?=[^}]*\})(?!.*"checked":false)/,
      '"checked":true',
    )
    carol.send({
      type: 'share_clipboard',
      id: ticked.id,
      extra: 'lexi_note',
      message: { ...(JSON.parse(content) as object), base },
    })
    for (const person of [ada, bob]) {
      await expect(box(person, 'Bags')).toBeChecked()
      await expect(box(person, 'Torches')).toBeChecked()
    }
  })

  test('an edit that the other replaces unseen can be kept beside it', async ({ device }) => {
    const { ada, link } = await twoDevices(device)
    const carol = await RawClient.joins(link)
    await sharesList(ada)
    const { message: first } = await carol.next('rec_clipboard')
    const editor = await NoteEditor.edits(ada, 'Packing')
    await editor.titles('Packing for the cabin')
    await editor.saves()
    const edited = (await carol.next('rec_clipboard')) as unknown as { id: string; message: { base: string } }
    const message = { ...(first as object), title: 'Packing for the lake', base: edited.message.base }
    carol.send({ type: 'share_clipboard', id: edited.id, extra: 'lexi_note', message })
    await ada.seesToast('Another device has just replaced your version of “Packing for the cabin”.')
    await ada.page.getByRole('button', { name: 'Keep both' }).click()
    await ada.sees('Packing for the cabin (copy)')
    await ada.sees('Packing for the lake')
  })
})

async function changesBoth(device: CallDevice): Promise<{ ada: Device; bob: Device; editor: NoteEditor }> {
  const { ada, bob } = await twoDevices(device)
  const first = await NoteEditor.creates(ada)
  await first.titles('Shopping')
  await first.types('Milk')
  await first.saves()
  const editor = await NoteEditor.edits(ada, 'Shopping')
  await editor.types(' mine')
  await bob.sees('Shopping')
  const theirs = await NoteEditor.edits(bob, 'Shopping')
  await theirs.types(' theirs')
  await theirs.saves()
  await expect(editor.page.getByRole('alert')).toContainText('Another device has changed this note')
  return { ada, bob, editor }
}

test('a note that changed meanwhile asks whose version stays: both', async ({ device }) => {
  const { ada, bob, editor } = await changesBoth(device)
  await editor.page.getByRole('button', { name: 'Update' }).click()
  const question = ada.page.getByRole('alertdialog', { name: 'This note has changed' })
  await question.getByRole('button', { name: 'Go on writing' }).click()
  await expect(editor.text).toContainText('Milk mine')
  await editor.page.getByRole('button', { name: 'Update' }).click()
  await question.getByRole('button', { name: 'Keep both' }).click()
  for (const person of [ada, bob]) {
    await person.sees('Milk theirs')
    await person.sees('Milk mine')
    await person.sees('Shopping (copy)')
  }
})

test('after a reload the draft still knows that the note has changed: mine', async ({ device }) => {
  const { ada, bob, editor } = await changesBoth(device)
  await expect
    .poll(() => ada.page.evaluate(() => sessionStorage.getItem('heliograph.note-draft') ?? ''))
    .toContain('Milk mine')
  await ada.page.reload()
  await ada.sees('Milk theirs')
  const again = await NoteEditor.edits(ada, 'Shopping')
  await expect(again.text).toContainText('Milk mine')
  await editor.page.getByRole('button', { name: 'Update' }).click()
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Keep mine' }).click()
  await bob.sees('Milk mine')
  await expect(bob.page.getByRole('article')).toHaveCount(1)
})

test('the version of the other device stays when it is chosen', async ({ device }) => {
  const { ada, bob, editor } = await changesBoth(device)
  await editor.page.getByRole('button', { name: 'Update' }).click()
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Keep theirs' }).click()
  for (const person of [ada, bob]) {
    await person.sees('Milk theirs')
    await expect(person.page.getByRole('article')).toHaveCount(1)
  }
})

test('a text is changed on its card', async ({ device }) => {
  const { ada, bob } = await twoDevices(device)
  await ada.sharesText('The door code is 1234')
  await bob.sees('The door code is 1234')
  const card = ada.card('door code')
  await card.hover()
  await card.getByRole('button', { name: 'Edit' }).click()
  const field = ada.page.getByRole('textbox', { name: 'Text' })
  await expect(field).toBeFocused()
  await field.press('x')
  await field.press('Escape')
  await expect(field).toHaveCount(0)
  await expect(card).toBeFocused()
  await ada.sees('The door code is 1234')
  await card.getByRole('button', { name: 'Edit' }).click()
  await ada.enters(field, 'The door code is 5678')
  await field.press('Control+Enter')
  for (const person of [ada, bob]) {
    await person.sees('The door code is 5678')
    await expect(person.page.getByRole('article')).toHaveCount(1)
  }
})

test('a text that changed meanwhile asks whose version stays', async ({ device }) => {
  const { ada, bob } = await twoDevices(device)
  await ada.sharesText('first')
  await bob.sees('first')
  await bob.uses(bob.card('first'), 'Edit')
  const theirs = bob.page.getByRole('textbox', { name: 'Text' })
  await ada.card('first').hover()
  await ada.card('first').getByRole('button', { name: 'Edit' }).click()
  const mine = ada.page.getByRole('textbox', { name: 'Text' })
  await mine.fill('mine')
  await theirs.fill('theirs')
  await bob.page.getByRole('button', { name: 'Save', exact: true }).click()
  await bob.sees('theirs')
  // Ada's card still shows its field; its name follows the text.
  await expect(ada.page.getByRole('article', { name: 'Text, theirs' })).toBeVisible()
  await mine.press('Control+Enter')
  await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Keep both' }).click()
  for (const person of [ada, bob]) {
    await person.sees('theirs')
    await person.sees('mine')
  }
})
