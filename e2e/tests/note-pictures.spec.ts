import { expect, type Locator } from '@playwright/test'
import { NoteEditor, startsNote } from '../support/note.ts'
import { png } from '../support/png.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

/** Presses a picture. Keys are for it only once it is selected. */
async function selects(editor: NoteEditor, picture: Locator): Promise<void> {
  await picture.click()
  await expect(editor.text.locator('[data-selected]')).toHaveCount(1)
}

test('a picture is resized, described and deleted', everywhere, async ({ device }) => {
  const editor = await startsNote(device)
  await editor.picks('Sunrise.png', png(400, 200))
  const picture = editor.text.locator('img')
  await expect(picture).toHaveJSProperty('naturalWidth', 400)
  const size = async () => {
    const box = await picture.boundingBox()
    return [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)]
  }
  await expect.poll(size).toEqual([400, 200])
  await picture.click()
  const handle = editor.text.getByRole('button', { name: 'Resize' })
  const drag = async (dx: number) => {
    const box = await handle.boundingBox()
    if (!box) throw new Error('no handle')
    const { mouse } = editor.device.page
    await mouse.move(box.x + 7, box.y + 7)
    await mouse.down()
    await mouse.move(box.x + 7 + dx, box.y + 7, { steps: 4 })
    await mouse.up()
  }
  await drag(-100)
  await expect.poll(size).toEqual([300, 150])
  await editor.uses('Undo')
  await expect.poll(size).toEqual([400, 200])
  await editor.uses('Redo')
  await expect.poll(size).toEqual([300, 150])
  await picture.click()
  await drag(-330)
  await expect.poll(size).toEqual([100, 50])
  await handle.focus()
  await handle.press('ArrowRight')
  await expect.poll(size).toEqual([110, 55])

  editor.device.page.once('dialog', (dialog) => {
    expect(dialog.message()).toBe('Enter alt text for image:')
    expect(dialog.defaultValue()).toBe('')
    void dialog.accept('Sunrise over the ridge')
  })
  await editor.text.getByRole('button', { name: 'Alt' }).click()
  await expect(picture).toHaveAttribute('alt', 'Sunrise over the ridge')
  editor.device.page.once('dialog', (dialog) => {
    expect(dialog.defaultValue()).toBe('Sunrise over the ridge')
    void dialog.dismiss()
  })
  await editor.text.getByRole('button', { name: 'Alt' }).click()
  await expect(picture).toHaveAttribute('alt', 'Sunrise over the ridge')

  await editor.text.getByRole('button', { name: 'Delete' }).click()
  await expect(picture).toHaveCount(0)
  await editor.uses('Undo')
  await selects(editor, picture)
  await editor.device.page.keyboard.press('Delete')
  await expect(picture).toHaveCount(0)
})

test('Ctrl and Enter stores the size in which a picture is shown', async ({ device }) => {
  const editor = await startsNote(device)
  // Wider than the column, so it is shown smaller.
  await editor.picks('Wide.png', png(1200, 300))
  const picture = editor.text.locator('img')
  await expect(picture).toHaveJSProperty('naturalWidth', 1200)
  await selects(editor, picture)
  const shown = await picture.boundingBox()
  await editor.device.page.keyboard.press('Control+Enter')
  const width = Math.round(shown?.width ?? 0)
  await expect(editor.text.locator('span:has(> img)')).toHaveAttribute(
    'style',
    new RegExp(`width: ${width}px`),
  )
})

test('a large picture is shared beside the note as a file and shown in it', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  const editor = await NoteEditor.creates(ada)
  await editor.titles('Holiday')
  // Noise, which no encoder can compress.
  const noise = await ada.page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 700, height: 500 })
    const context = canvas.getContext('2d')
    const image = context?.createImageData(700, 500)
    if (!context || !image) throw new Error('no canvas')
    let seed = 1
    for (let at = 0; at < image.data.length; at += 1) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      image.data[at] = at % 4 === 3 ? 255 : seed >>> 24
    }
    context.putImageData(image, 0, 0)
    return canvas.toDataURL('image/png').slice('data:image/png;base64,'.length)
  })
  await editor.picks('Noise.png', Buffer.from(noise, 'base64'))
  await editor.saves()

  const picture = bob.page.getByRole('article', { name: 'Note, Holiday' }).locator('img')
  await expect(picture).toHaveAttribute('src', /^blob:/)
  await expect(picture).toHaveJSProperty('naturalWidth', 700)
  await bob.sees('Noise.webp')
})

test('a picture that is dropped on the note, or pasted, goes into it and nowhere else', async ({
  device,
}) => {
  const editor = await startsNote(device)
  const picture = png(120, 90).toString('base64')
  await editor.text.evaluate((text, picture) => {
    const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
    const data = new DataTransfer()
    data.items.add(new File([bytes], 'Dropped.png', { type: 'image/png' }))
    const { x, y } = text.getBoundingClientRect()
    const at = { bubbles: true, cancelable: true, clientX: x + 20, clientY: y + 10 }
    text.dispatchEvent(new DragEvent('drop', { ...at, dataTransfer: data }))
  }, picture)
  await expect(editor.text.locator('img')).toHaveCount(1)

  await editor.text.evaluate(async (_, picture) => {
    const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
    await navigator.clipboard.write([
      new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) }),
    ])
  }, picture)
  await editor.text.press('Control+v')
  await expect(editor.text.locator('img')).toHaveCount(2)
  await editor.saves()
  await expect(editor.device.page.getByRole('article')).toHaveCount(1)
})
