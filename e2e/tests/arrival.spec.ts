import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

/** The browser's driver cannot hide a page, so the page is told that it is hidden. */
async function isHidden({ page }: Device, hidden: boolean): Promise<void> {
  await page.evaluate((is) => {
    const state = is ? 'hidden' : 'visible'
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)
}

test('a hidden page counts in its title what others share, until it is seen', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await bob.sharesText('before')
  await ada.sees('before')

  await isHidden(ada, true)
  await bob.sharesText('one')
  await bob.sharesText('two')
  await expect(ada.page).toHaveTitle('(2) Heliograph')

  await isHidden(ada, false)
  await expect(ada.page).toHaveTitle('Heliograph')
})

test('who switches it on is notified once for a burst', async ({ device }) => {
  const ada = await device('Ada')
  await ada.context.grantPermissions(['notifications', 'clipboard-read', 'clipboard-write'])
  await ada.page.addInitScript(() => {
    const shown: { title: string; silent: boolean }[] = []
    const show = (title: string, { silent }: NotificationOptions) =>
      shown.push({ title, silent: silent ?? false })
    Object.assign(window, { shown })
    class Shown {
      static permission = 'granted'
      static requestPermission = async () => 'granted'
      constructor(title: string, options: NotificationOptions) {
        show(title, options)
      }
    }
    Object.assign(window, { Notification: Shown })
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
      show(title, options ?? {})
    }
  })
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.page.getByRole('button', { name: '2 devices' }).click()
  await ada.page.getByRole('switch', { name: 'Tell me when something arrives' }).check()
  await ada.page.keyboard.press('Escape')

  await isHidden(ada, true)
  await bob.sharesText('one')
  await expect(ada.page).toHaveTitle('(1) Heliograph')
  await bob.sharesText('two')
  await expect(ada.page).toHaveTitle('(2) Heliograph')

  const shown = () => ada.page.evaluate(() => (window as unknown as { shown: unknown }).shown)
  await expect.poll(shown).toEqual([
    { title: '1 new item', silent: false },
    { title: '2 new items', silent: true },
  ])
})
