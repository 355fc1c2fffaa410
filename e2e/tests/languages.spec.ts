import { expect } from '@playwright/test'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }
/** The first heading while alone on a desktop, or while another device is there. */
const HEADINGS = {
  en: /^(Scan the QR Code|Start Sharing)/,
  de: /^(Scanne den QR-Code|Jetzt teilen)/,
  he: /^(סרקו את קוד|מתחילים לשתף)/,
  ar: /^(امسح رمز|ابدأ المشاركة)/,
} as const
const CATALOGUES = '**/assets/texts-*'

test(
  "the page is in the language of the browser, and in another one at the person's choice",
  everywhere,
  async ({ device }) => {
    const ada = await device('Ada', { locale: 'de-CH' })
    await ada.opensHome()
    await seesLanguage(ada, 'de')

    await ada.page.getByRole('contentinfo').getByRole('button', { name: 'Deutsch' }).click()
    await ada.page.getByRole('dialog').getByRole('button', { name: 'עברית' }).click()
    await seesLanguage(ada, 'he')
    await expectNoSidewaysScroll(ada)

    await ada.page.reload()
    await seesLanguage(ada, 'he')
  },
)

test('on a phone the menu changes the language, and a message that is being written stays', async ({
  device,
}) => {
  const ada = await device('Ada')
  const link = await ada.startsBeam()
  const bob = await device('Bob', { phone: true })
  await bob.opens(link)
  await bob.enters(await bob.opensMessageField(), 'half a sentence')

  await bob.page.getByRole('button', { name: 'Beam', exact: true }).click()
  await bob.page.getByRole('menuitem', { name: 'Language' }).click()
  const dialog = bob.page.getByRole('dialog', { name: 'Language' })
  await expect(dialog.getByRole('button', { name: 'English' })).toHaveAttribute('aria-current', 'true')
  await expectNothingSerious(bob)
  await dialog.getByRole('button', { name: 'العربية' }).click()

  await seesLanguage(bob, 'ar')
  await expect(bob.page.getByRole('textbox')).toHaveValue('half a sentence')
  await expectNoSidewaysScroll(bob)
  await ada.seesDevices(2)
})

test('a form that is being filled in stays as it is in another language', async ({ device }) => {
  const ada = await device('Ada', { phone: true })
  await ada.opens(`${ada.origin}/register`)
  await ada.page.getByLabel('First name').fill('Ada')
  await ada.page.getByLabel('Password', { exact: true }).fill('correct horse')
  const opener = ada.page.getByRole('contentinfo').getByRole('button', { name: 'English' })
  await opener.click()
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Deutsch' }).click()

  await expect(ada.page.getByLabel('Vorname')).toHaveValue('Ada')
  await expect(ada.page.getByLabel('Passwort', { exact: true })).toHaveValue('correct horse')
  await expect(ada.page.getByRole('contentinfo').getByRole('button', { name: 'Deutsch' })).toBeFocused()
})

test('a language that does not load leaves the page in English', async ({ device }) => {
  const ada = await device('Ada', { locale: 'fr' })
  await ada.page.route('**/assets/texts-fr-*', (route) => route.abort())
  await ada.opensHome()
  await seesLanguage(ada, 'en')
  await ada.seesDevices(1)
})

test('without any texts the page tries again until they come', async ({ device }) => {
  const ada = await device('Ada')
  await ada.page.route(CATALOGUES, (route) => route.abort())
  const refused = ada.page.waitForEvent('requestfailed')
  await ada.opensHome()
  await refused
  await expect(ada.page.getByText('Loading ...')).toBeVisible()
  await ada.page.unroute(CATALOGUES)
  await ada.seesDevices(1)
})

async function seesLanguage({ page }: Device, language: keyof typeof HEADINGS): Promise<void> {
  const html = page.locator('html')
  await expect(html).toHaveAttribute('lang', language)
  await expect(html).toHaveAttribute('dir', ['ar', 'he'].includes(language) ? 'rtl' : 'ltr')
  await expect(page.getByRole('heading').first()).toHaveText(HEADINGS[language])
}
