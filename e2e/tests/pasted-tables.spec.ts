/** Tables pasted into the page become notes. */
import { expect } from '@playwright/test'
import { clipboardFixture } from '../support/note.ts'
import { test } from '../support/stage.ts'

for (const [program, text, cells] of [
  ['excel', 'Item\tPrice\nMilk\t2\t1.20', ['Item', 'Price', 'Milk', '2', '1.20']],
  ['google-sheets', 'Who\tBrings\nMira\tCoffee', ['Who', 'Brings', 'Mira', 'Coffee']],
] as const) {
  test(`cells copied in ${program} are a note with a table, once`, async ({ device }) => {
    const ada = await device('Ada')
    const bob = await device('Bob', { phone: true })
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    const html = await clipboardFixture(program)
    const paste = async () => {
      await ada.page.evaluate(
        ([plain, markup]) => {
          const data = new DataTransfer()
          data.setData('text/plain', plain)
          data.setData('text/html', markup)
          document.body.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
          )
        },
        [text, html] as const,
      )
    }
    await paste()
    for (const person of [ada, bob]) {
      const table = person.page.getByRole('article').getByRole('table')
      await expect(table.locator('td, th')).toHaveText([...cells])
    }
    await paste()
    await expect(ada.page.getByRole('article')).toHaveCount(1)
  })
}

test('other HTML stays the text that it is', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await ada.page.evaluate(async () => {
    const parts = { 'text/plain': 'just words', 'text/html': '<p>just <b>words</b></p>' }
    const blobs = Object.entries(parts).map(([type, part]) => [type, new Blob([part], { type })])
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
  })
  await ada.page.getByRole('button', { name: 'Paste' }).click()
  await expect(ada.page.getByRole('article', { name: 'Text, just words' })).toBeVisible()
})
