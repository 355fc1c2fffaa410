import { expect } from '@playwright/test'
import { BACK, type Device } from '../support/device.ts'
import { Server } from '../support/server.ts'
import { test } from '../support/stage.ts'

/** The page begins with its worker once it has done its first work. */
const WITHIN = { timeout: 30_000 }

test('the product can be installed', async ({ device }) => {
  const ada = await device('Ada')
  await ada.opensHome()
  const session = await ada.context.newCDPSession(ada.page)
  const { errors, data } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const manifest = JSON.parse(data ?? '')
  expect(manifest).toMatchObject({ name: 'Heliograph', start_url: '/', display: 'standalone' })

  // Each icon has the size that the manifest states.
  for (const { src, sizes, type } of manifest.icons) {
    if (type !== 'image/png') continue
    const size = await ada.page.evaluate(async (address) => {
      const picture = await createImageBitmap(await (await fetch(address)).blob())
      return `${picture.width}x${picture.height}`
    }, src)
    expect(size).toBe(sizes)
  }
  await isReadyForOffline(ada)
})

test('the menu of the installed app leads to a new beam, the join dialog and the scanner', async ({
  device,
}) => {
  const ada = await device('Ada', { phone: true })
  await ada.opens(`${ada.origin}/?do=join`)
  await expect(ada.page.getByRole('dialog', { name: 'Join Beam' })).toBeVisible()
  await ada.opens(`${ada.origin}/?do=scan`)
  await expect(ada.page.getByRole('dialog', { name: 'Scan QR' })).toBeVisible()
  await ada.opens(`${ada.origin}/?do=new`)
  await ada.seesDevices(1)
  await expect(ada.page).toHaveURL(`${ada.origin}/`)
})

test('the browser offers to install the page, and so does the footer', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const install = ada.page.getByRole('button', { name: 'Install app' })
  await expect(install).toHaveCount(0)
  await ada.page.evaluate(() => {
    const offer = new Event('beforeinstallprompt', { cancelable: true })
    dispatchEvent(
      Object.assign(offer, { prompt: async () => document.body.setAttribute('data-prompted', '') }),
    )
  })
  await install.click()
  await expect(ada.page.locator('body[data-prompted]')).toBeAttached()
  await expect(install).toHaveCount(0)
})

test('the page starts without a network, shows so, and recovers by itself', async ({ device }) => {
  test.setTimeout(120_000)
  const server = await Server.start()
  try {
    const ada = await device('Ada', { phone: true })
    await ada.opens(`${server.origin}/space`)
    await isReadyForOffline(ada)

    await server.down()
    await ada.context.setOffline(true)
    await ada.page.reload()
    await expect(ada.page.getByRole('button', { name: 'New Beam' })).toBeVisible()
    await ada.seesToast('You are offline. A beam can be made or joined once you are back.')

    await server.up()
    await ada.context.setOffline(false)
    await expect(ada.page.getByText('You are offline.')).toHaveCount(0)
    await ada.page.getByRole('button', { name: 'New Beam' }).click()
    await ada.seesDevices(1)
  } finally {
    await server.stop()
  }
})

test('a text that is shared without a connection says that it waits, and outlives a reload', async ({
  device,
}) => {
  test.setTimeout(120_000)
  const server = await Server.start()
  try {
    const ada = await device('Ada')
    const bob = await device('Bob')
    await ada.opens(server.origin)
    await bob.opens(await ada.scansOwnQr())
    await ada.seesDevices(2)
    await isReadyForOffline(bob)
    await server.down()
    await bob.sharesText('meanwhile')
    const waits = bob.card('meanwhile').getByText('Not sent yet.')
    await expect(waits).toBeVisible()

    await bob.page.reload()
    await expect(waits).toBeVisible()
    await server.up()
    await ada.sees('meanwhile', BACK)
    await bob.sees('meanwhile')
    await expect(waits).toHaveCount(0)
  } finally {
    await server.stop()
  }
})

test('without a network a phone opens its Space for the first time', async ({ device }) => {
  const ada = await device('Ada', { phone: true })
  await ada.opensHome()
  const hasSpace = () =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/space-route'))
  await ada.page.waitForFunction(hasSpace, undefined, WITHIN)
  await isReadyForOffline(ada)
  await ada.context.setOffline(true)
  await ada.page.getByRole('link', { name: 'Space' }).click()
  await expect(ada.page).toHaveTitle(/Space/)
  await expect(ada.page.getByRole('button', { name: 'New Beam' })).toBeVisible()
})

test('without a network the QR code has its mark', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await isReadyForOffline(ada)
  await ada.context.setOffline(true)
  await ada.page.reload()
  const mark = ada.page.getByRole('img', { name: 'QR code of this beam' }).locator('image')
  const width = await mark.evaluate(async (element) => {
    const picture = new Image()
    picture.src = element.getAttribute('href') ?? ''
    await picture.decode()
    return picture.width
  })
  expect(width).toBeGreaterThan(0)
})

test("an old page is replaced by the server's", async ({ device }) => {
  const ada = await device('Ada')
  await ada.opensHome()
  await isReadyForOffline(ada)
  await ada.page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      await cache.put('/', new Response('<h1>Old page</h1>', { headers: { 'content-type': 'text/html' } }))
    }
  })
  await ada.page.reload()
  await ada.seesDevices(1)

  await ada.context.setOffline(true)
  await ada.page.reload()
  await expect(ada.page.getByRole('navigation', { name: 'Main' })).toBeVisible()
})

test('calls and the live channel never pass the service worker', async ({ device }) => {
  const ada = await device('Ada')
  await ada.opensHome()
  await isReadyForOffline(ada)
  const calls: { path: string; byWorker: boolean }[] = []
  ada.page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/api/')) calls.push({ path: pathname, byWorker: response.fromServiceWorker() })
  })
  await ada.page.reload()
  await ada.seesDevices(1)
  expect(calls.length).toBeGreaterThan(0)
  expect(calls.filter(({ byWorker }) => byWorker)).toEqual([])
})

test('e1 a page that the service worker serves has the secret of its link', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const link = await ada.startsBeam()
  await bob.opensHome()
  await isReadyForOffline(bob)
  const page = bob.page.waitForResponse((response) => response.request().isNavigationRequest())
  await bob.opens(link)
  expect((await page).fromServiceWorker()).toBe(true)
  await expect(ada.page.getByRole('button', { name: 'Encrypted · 2 devices' })).toBeVisible()
  await expect(bob.page).toHaveURL(`${bob.origin}/`)
})

test('e1 a link of a sealed beam from another app is shared with its secret', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await isReadyForOffline(bob)
  const link = `${bob.origin}/?beam_id=7c9e6679-7425-40de-944b-e07fc1f90ae7#k=${'A'.repeat(43)}`
  await sharesIn(bob, { url: link })
  await bob.page
    .getByRole('region', { name: /to be shared/ })
    .getByRole('button', { name: 'Share' })
    .click()
  await expect(ada.page.locator(`a[href="${link}"]`)).toHaveCount(1)
})

test('content from another app is shared into the current beam once its owner says so', async ({
  device,
}) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await isReadyForOffline(bob)

  await sharesIn(bob, { title: 'A title', text: 'Look at this', url: 'https://example.org/heliograph' })
  await expect(bob.page).toHaveURL(`${bob.origin}/space`)
  const parcel = bob.page.getByRole('region', { name: /to be shared/ })
  await expect(parcel).toContainText('Look at this')
  await bob.seesDevices(2)
  await ada.seesNothingOf('Look at this')
  await parcel.getByRole('button', { name: 'Share' }).click()
  await ada.sees('Look at this')
  await bob.sees('Look at this')
  await ada.seesNothingOf('A title')

  await sharesIn(bob, {}, { name: 'minutes of May.txt', type: 'text/plain', content: 'All agreed.' })
  await expect(parcel).toContainText('minutes of May.txt')
  // It waits on the phone's home as well, and can be shared there.
  await bob.page.getByRole('link', { name: 'Home' }).click()
  await bob.seesHeading('Start Sharing')
  await expect(parcel).toContainText('minutes of May.txt')
  await parcel.getByRole('button', { name: 'Share' }).click()
  await ada.sees('minutes of May.txt')
  await expect(parcel).toHaveCount(0)

  await sharesIn(bob, { text: 'Buy this' })
  await parcel.getByRole('button', { name: 'Discard' }).click()
  await expect(parcel).toHaveCount(0)
  await bob.page.reload()
  await bob.seesDevices(2)
  await expect(parcel).toHaveCount(0)
  await ada.seesNothingOf('Buy this')
})

test('without a beam, content from another app waits for one', async ({ device }) => {
  const bob = await device('Bob', { phone: true })
  await bob.opensHome()
  await isReadyForOffline(bob)

  await sharesIn(bob, { text: 'keep this for me' })
  const parcel = bob.page.getByRole('region', { name: /to be shared/ })
  await expect(parcel).toContainText('Make a beam or join one')
  await bob.page.reload()
  await expect(parcel).toContainText('keep this for me')
  await bob.page.getByRole('link', { name: 'Home' }).click()
  await expect(bob.page.getByRole('button', { name: 'Scan QR' })).toBeVisible()
  await expect(parcel).toContainText('Make a beam or join one')
  await bob.page.getByRole('button', { name: 'New Beam' }).click()
  await parcel.getByRole('button', { name: 'Share' }).click()
  await expect(parcel).toHaveCount(0)
  await bob.sees('keep this for me')

  // It is shared only once.
  await expect(bob.page).toHaveURL(`${bob.origin}/`)
  await bob.page.reload()
  await bob.sees('keep this for me')
})

/**
 * Waits until the worker controls this page and has stored its files. Those that were loaded before the worker are stored only once
 * the page has told it of them, which a phone does when it has loaded the Space too.
 */
async function isReadyForOffline({ page }: Device): Promise<void> {
  const isReady = async () => {
    const { active } = await navigator.serviceWorker.ready
    if (!navigator.serviceWorker.controller || active?.state !== 'activated') return false
    const made = performance.getEntriesByType('resource').map(({ name }) => name)
    const assets = made.filter((name) => new URL(name).pathname.startsWith('/assets/'))
    const kept = await Promise.all(assets.map((name) => caches.match(name, { ignoreVary: true })))
    return assets.length > 0 && kept.every((answer) => answer !== undefined)
  }
  await page.waitForFunction(isReady, undefined, WITHIN)
}

/** Posts the form that the system's share sheet posts when the product is chosen. */
async function sharesIn(
  { page }: Device,
  fields: Record<string, string>,
  file?: { name: string; type: string; content: string },
): Promise<void> {
  await page.evaluate(
    ([fields, file]) => {
      const form = document.createElement('form')
      form.method = 'post'
      form.enctype = 'multipart/form-data'
      form.action = '/share'
      const field = (name: string, value = '') => {
        const input = document.createElement('input')
        Object.assign(input, { name, value })
        form.append(input)
      }
      for (const name of ['title', 'text', 'url']) field(name, fields[name])
      const files = document.createElement('input')
      Object.assign(files, { type: 'file', name: 'files' })
      if (file) {
        const picked = new DataTransfer()
        picked.items.add(new File([file.content], file.name, { type: file.type }))
        files.files = picked.files
      }
      form.append(files)
      document.body.append(form)
      form.submit()
    },
    [fields, file] as const,
  )
}
