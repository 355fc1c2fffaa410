import { expect } from '@playwright/test'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

test('text goes both ways between a desktop and a phone', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)

  await ada.sharesText('from the desktop')
  await bob.sees('from the desktop')
  await ada.sees('from the desktop')

  await bob.sharesText('from the phone')
  await ada.sees('from the phone')
  await bob.sees('from the phone')
})

test('a paste of what is here already shows it, and tells screen readers', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await ada.sharesText('pasted again')
  await ada.sees('pasted again')
  await ada.page.evaluate(() => navigator.clipboard.writeText('pasted again'))
  await ada.page.mouse.move(600, 500)
  // The canvas hears the wheel a moment after its notes are drawn.
  await expect(async () => {
    await ada.page.mouse.wheel(3000, 2000)
    await expect(ada.card('pasted again')).not.toBeInViewport({ timeout: 2_000 })
  }).toPass()
  // A flash is over too soon to be looked for.
  await ada.page.evaluate(() => {
    const { animate } = Element.prototype
    Element.prototype.animate = function (...how: Parameters<typeof animate>) {
      document.body.dataset.flashed = this.getAttribute('aria-label') ?? ''
      return animate.apply(this, how)
    }
  })

  await ada.page.getByRole('button', { name: 'Paste', exact: true }).click()
  await expect(ada.card('pasted again')).toBeInViewport({ ratio: 1 })
  await expect(ada.page.locator('body')).toHaveAttribute('data-flashed', 'Text, pasted again')
  await expect(ada.page.getByText('Text is here already')).toBeAttached()
  await expect(ada.card('pasted again')).toHaveCount(1)
})

test('a paste shares the clipboard, once', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  const paste = ada.page.getByRole('button', { name: 'Paste', exact: true })

  await ada.page.evaluate(() => navigator.clipboard.writeText('from the clipboard'))
  await paste.click()
  await bob.sees('from the clipboard')
  await paste.click()
  await ada.sharesText('a sign that the second paste is over')
  await bob.sees('a sign that the second paste is over')
  await bob.sees('from the clipboard')
})

test('where the page may not read the clipboard, as on plain http, a field takes what is pasted', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  for (const { page } of [ada, bob]) {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
    })
  }
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)

  await ada.page.getByRole('button', { name: 'Paste', exact: true }).click()
  const field = ada.page.getByRole('textbox', { name: 'Paste here' })
  await expect(field).toBeFocused()
  await ada.page.keyboard.insertText('typed by a keyboard')
  await ada.page.getByRole('dialog', { name: 'Paste' }).getByRole('button', { name: 'Share' }).click()
  await bob.sees('typed by a keyboard')

  await bob.page.getByRole('button', { name: 'Paste', exact: true }).click()
  await bob.page.getByRole('textbox', { name: 'Paste here' }).evaluate((pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'pasted by hand')
    pasted.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await ada.sees('pasted by hand')
  await expect(bob.page.getByRole('dialog', { name: 'Paste' })).toHaveCount(0)
})

test('an empty clipboard shows a message', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await ada.keepsToasts()
  await ada.page.evaluate(() => navigator.clipboard.writeText(''))
  await ada.page.getByRole('button', { name: 'Paste', exact: true }).click()
  await ada.seesToast('Your clipboard is empty!')
})

test('Enter sends, a blank message cannot be sent', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const field = await ada.opensMessageField()

  await field.fill('   ')
  await expect(ada.page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await field.fill('  by the keyboard  ')
  await field.press('Enter')
  await ada.sees('by the keyboard')
  await expect(field).toHaveCount(0)
})

test('three devices have the same items', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const cyd = await device('Cyd', { phone: true })
  const link = await ada.startsBeam()
  await bob.opens(link)
  await ada.seesDevices(2)
  await ada.sharesText('before Cyd came')
  await cyd.opens(link)
  await ada.seesDevices(3)

  await bob.sharesText('from Bob')
  for (const person of [ada, bob, cyd]) {
    await person.sees('before Cyd came')
    await person.sees('from Bob')
  }
})

test('text is shown as it is, whatever it contains', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)

  const text = '<img src=x onerror="document.title=\'owned\'"> & "quotes" 👩‍👩‍👧 שלום'
  await ada.sharesText(text)
  await bob.sees(text)
  expect(await bob.page.title()).not.toBe('owned')
})

test('a deleted item disappears everywhere, and Undo restores it', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesText('short-lived')
  await bob.sees('short-lived')

  await bob.keepsToasts()
  await bob.uses(bob.card('short-lived'), 'Delete')
  await ada.seesNothingOf('short-lived')
  await bob.page.getByRole('button', { name: 'Undo' }).click()
  await ada.sees('short-lived')
})
