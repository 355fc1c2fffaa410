import { expect } from '@playwright/test'
import { expectNoSidewaysScroll, expectNothingSerious } from '../support/axe.ts'
import { hasCanvas } from '../support/canvas.ts'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }
const TAGLINE = 'Instant content sharing between devices. No accounts, no hassle.'

for (const phone of [false, true]) {
  test(
    `Know More tells of five features on a ${phone ? 'phone' : 'desktop'}`,
    everywhere,
    async ({ device }) => {
      const ada = await device('Ada', { phone })
      await (phone ? ada.opensSpace() : ada.opensHome())
      await ada.page.getByRole('button', { name: 'Know More' }).click()
      const about = ada.page.getByRole('dialog', { name: 'About Heliograph' })
      await expect(about.getByRole('heading', { level: 3 })).toHaveText([
        'Instant sharing',
        'No login required',
        'Drag and drop sticky notes',
        'Privacy first',
        'Open source, free forever',
      ])
      await expect(about.getByText(TAGLINE)).toBeVisible()
      await expectNothingSerious(ada)
      await about.getByRole('button', { name: 'Got it!' }).click()
      await expect(about).toHaveCount(0)
      await expect(ada.page.getByRole('button', { name: 'Know More' })).toBeFocused()
    },
  )
}

test("nothing fails or warns in a visitor's browser", async ({ device }) => {
  const ada = await device('Ada')
  const said: string[] = []
  ada.page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) said.push(message.text())
  })
  ada.page.on('response', (response) => {
    if (response.status() >= 400) said.push(`${response.status()} ${response.url()}`)
  })
  await ada.opensHome()
  await ada.seesDevices(1)
  await ada.opens(`${ada.origin}/space`)
  await ada.seesDevices(1)
  await ada.opens(`${ada.origin}/login`)
  await ada.seesHeading('Sign In')
  await ada.page.reload()
  await ada.seesHeading('Sign In')
  expect(said).toEqual([])
})

test('the footer is complete on every screen', async ({ device }) => {
  const ada = await device('Ada')
  const phone = await device('Ada on a phone', { phone: true })
  const hasAll = async (on: Device) => {
    const footer = on.page.getByRole('contentinfo')
    await expect(footer.locator('svg')).toBeVisible()
    for (const text of [TAGLINE, 'Version 1.0.0', `© ${new Date().getFullYear()}`]) {
      await expect(footer.getByText(text, { exact: true })).toBeVisible()
    }
    await expect(footer.getByText('Made with love by Heliograph')).toBeVisible()
    await expect(footer.getByRole('link', { name: 'Source code' })).toHaveAttribute('href', /^https:/)
    await expect(footer.getByRole('link', { name: 'Support' })).toHaveAttribute('href', /^https:/)
  }
  for (const path of ['/nothing/here', '/']) {
    await ada.opens(`${ada.origin}${path}`)
    await hasAll(ada)
  }
  for (const path of ['/', '/space', '/login']) {
    await phone.opens(`${ada.origin}${path}`)
    await hasAll(phone)
  }
})

test('an unknown address shows an error and a link home', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  await ada.opens(`${ada.origin}/nothing/here`)
  await ada.seesHeading('There is no page here')
  await ada.page.getByRole('main').getByRole('link', { name: 'Home' }).click()
  await expect(ada.page).toHaveURL(`${ada.origin}/`)
})

test('a part that cannot be loaded does not break the page', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  for (const one of [ada, bob]) await one.seesDevices(2)
  // Only the dialog is to be missing.
  await hasCanvas(bob)
  await bob.context.setOffline(true)
  await bob.page.getByRole('button', { name: 'Know More' }).click()
  await bob.seesHeading('A part of the page could not be loaded')
  await expectNothingSerious(bob)
  await bob.context.setOffline(false)
  await ada.sharesText('meanwhile')
  await bob.page.getByRole('button', { name: 'Go on without it' }).click()
  await bob.sees('meanwhile')
})

// Only in Chromium: Playwright cannot intercept the requests of a service worker in the other browsers.
test('an editor that cannot be loaded can be left, and is loaded later', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const newNote = ada.page.getByRole('button', { name: 'New note' })
  // The server fails and not the network, so that the device stays in its beam.
  await ada.context.route(/note-editor-.*\.js/, (route) => route.fulfill({ status: 503 }))
  await newNote.click()
  await ada.seesHeading('A part of the page could not be loaded')
  await ada.page.getByRole('button', { name: 'Go on without it' }).click()
  await expect(newNote).toBeVisible()
  await ada.context.unroute(/note-editor-.*\.js/)
  await newNote.click()
  await ada.seesHeading('Create New Note')
})

test('joining devices and new items are announced, without the content', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  const link = await ada.startsBeam()
  const news = ada.page.locator('p[aria-live=polite]')
  await ada.seesDevices(1)
  await bob.opens(link)
  await expect(news.filter({ hasText: / connected$/ })).toBeAttached()
  await bob.sharesText('a secret of Bob')
  await expect(news.filter({ hasText: /^Text from / })).toBeAttached()
  await expect(ada.page.getByRole('list', { name: 'Notifications' })).toHaveAttribute('aria-live', 'polite')
})

test('the keyboard focus is visible everywhere', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await ada.startsBeam()
  await bob.opensSpace()
  await expect(bob.page.getByRole('button', { name: 'New Beam' })).toBeVisible()
  for (const person of [ada, bob]) expect(await unmarkedStops(person)).toEqual([])
})

test('in forced colours, shapes have borders', async ({ device }) => {
  const ada = await device('Ada', { phone: true })
  await ada.page.emulateMedia({ forcedColors: 'active' })
  await ada.opensSpace()
  await ada.page.getByRole('button', { name: 'Join Beam' }).click()
  const dialog = ada.page.getByRole('dialog', { name: 'Join Beam' })
  for (const shape of [
    dialog,
    dialog.getByRole('textbox'),
    dialog.getByRole('button', { name: 'Cancel' }),
    ada.page.getByRole('navigation', { name: 'Main', includeHidden: true }),
  ]) {
    await expect(shape).toHaveCSS('border-top-style', 'solid')
    await expect(shape).not.toHaveCSS('border-top-width', '0px')
  }
})

test('a width of 320 px and a zoom of 200 % lose nothing', async ({ device }) => {
  test.setTimeout(180_000)
  const ada = await device('Ada', { phone: true })
  for (const size of [
    { width: 320, height: 568 },
    { width: 720, height: 450 },
  ]) {
    await ada.page.setViewportSize(size)
    for (const path of ['/', '/space', '/login', '/register', '/nothing']) {
      await ada.opens(`${ada.origin}${path}`)
      await expect(ada.page.getByRole('heading', { level: 1 })).toBeVisible()
      await expectNoSidewaysScroll(ada)
    }
    await ada.opensSpace()
    await ada.page.getByRole('button', { name: 'Know More' }).click()
    await expect(ada.page.getByRole('button', { name: 'Got it!' })).toBeInViewport({ ratio: 1 })
    await expect(ada.page.getByRole('heading', { name: 'About Heliograph' })).toBeInViewport({ ratio: 1 })
  }
})

test('without a network the page shows so until it is back', async ({ device }) => {
  const ada = await device('Ada', { phone: true })
  await ada.opensHome()
  await expect(ada.page.getByRole('button', { name: 'Scan QR' })).toBeVisible()
  await ada.context.setOffline(true)
  await ada.seesToast('You are offline. A beam can be made or joined once you are back.')
  await expectNothingSerious(ada)
  await ada.context.setOffline(false)
  await expect(ada.page.getByText(/You are offline/)).toHaveCount(0)

  await ada.page.getByRole('button', { name: 'New Beam' }).click()
  await ada.seesDevices(1)
  await ada.context.setOffline(true)
  await expect(ada.page.getByRole('button', { name: 'Offline' })).toBeVisible()
  await ada.context.setOffline(false)
  await ada.seesDevices(1)
})

/** Returns the names of elements that can take the focus without an outline or ring. */
async function unmarkedStops({ page }: Device): Promise<string[]> {
  const unmarked: string[] = []
  for (let stop = 0; stop < 30; stop += 1) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(() => {
      const at = document.activeElement
      if (!at || at === document.body) return null
      const isMarked = (element: Element | null, depth: number): boolean => {
        if (!element || depth === 0) return false
        const { outlineStyle, boxShadow } = getComputedStyle(element)
        if (outlineStyle !== 'none') return true
        return boxShadow.includes('0px 0px 0px 2px') || isMarked(element.parentElement, depth - 1)
      }
      return isMarked(at, 3) ? '' : (at.getAttribute('aria-label') ?? at.textContent ?? at.tagName)
    })
    if (name === null) break
    if (name !== '') unmarked.push(name)
  }
  return unmarked
}

test('a page whose site storage is blocked works, in memory', async ({ device }) => {
  const ada = await device('Ada')
  // As in a browser that is set to store nothing (HTML, 12.2.2 and 12.2.3).
  await ada.context.addInitScript(() => {
    const get = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    }
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get })
  })
  const link = await ada.startsBeam()
  await ada.sharesText('nothing is kept here')
  await ada.sees('nothing is kept here')
  const bob = await device('Bob')
  await bob.opens(link)
  await bob.sees('nothing is kept here')
})

for (const phone of [false, true]) {
  test(`text of twice the size fits a ${phone ? 'phone' : 'desktop'}, and notes grow with it`, async ({
    device,
  }) => {
    const ada = await device('Ada')
    const looker = phone ? await device('Bob', { phone }) : ada
    const link = await ada.startsBeam()
    if (phone) await looker.opens(link)
    await ada.sharesText('The door code is 1234, and the keys are with Jonas in the house by the lake.')
    const card = looker.card('door code')
    const height = async () => (await card.boundingBox())?.height ?? 0
    await expect(card).toBeVisible()
    const before = await height()
    // Stands for the size of text that a person sets in the browser.
    await looker.page.addStyleTag({ content: ':root { font-size: 200% }' })
    await expect.poll(height).toBeGreaterThan(1.5 * before)
    await expectNoSidewaysScroll(looker)
    await expectNothingSerious(looker)
  })
}
