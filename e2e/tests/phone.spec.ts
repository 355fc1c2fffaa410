import { expect, type WebSocketRoute } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { Server } from '../support/server.ts'
import { test } from '../support/stage.ts'
import { meetThroughServer } from '../support/through-server.ts'
import { Wire } from '../support/wire.ts'

const everywhere = { tag: '@everywhere' }

test('the back button closes what is open and stays on the page', everywhere, async ({ device }) => {
  const bob = await device('Bob', { phone: true })
  await bob.opensHome()
  await bob.goesToSpace()
  const dialog = bob.page.getByRole('dialog')

  await bob.page.getByRole('button', { name: 'Join Beam' }).click()
  await expect(dialog).toBeVisible()
  await bob.closesByBack()
  await expect(dialog).toHaveCount(0)
  await expect(bob.page).toHaveURL(`${bob.origin}/space`)
  await expect(bob.page.getByRole('button', { name: 'Join Beam' })).toBeFocused()

  await bob.page.getByRole('button', { name: 'New Beam' }).click()
  const menu = bob.page.getByRole('menu', { name: 'Space Menu' })
  await bob.page.getByRole('button', { name: 'Space Menu' }).click()
  await expect(menu).toBeVisible()
  await bob.closesByBack()
  await expect(menu).toHaveCount(0)

  // Nothing of it remains in the history.
  await bob.page.goBack()
  await expect(bob.page).toHaveURL(`${bob.origin}/`)
})

test('a dialog that is closed by its button leaves nothing to go back to', async ({ device }) => {
  const bob = await device('Bob', { phone: true })
  await bob.opensHome()
  await bob.goesToSpace()
  for (const way of ['Cancel', 'Cancel']) {
    await bob.page.getByRole('button', { name: 'Join Beam' }).click()
    await bob.page.getByRole('button', { name: way }).click()
    await expect(bob.page.getByRole('dialog')).toHaveCount(0)
  }
  await bob.seesNoDialog()
  await bob.page.goBack()
  await expect(bob.page).toHaveURL(`${bob.origin}/`)
})

test('every control of a phone has a touch target of at least 44 px', async ({ device }) => {
  const bob = await device('Bob', { phone: true })
  await bob.opensSpace()
  expect(await smallTargets(bob)).toEqual([])
  await bob.page.getByRole('button', { name: 'New Beam' }).click()
  await bob.seesDevices(1)
  // Toasts cover the end of the page until they disappear.
  await expect(bob.page.getByText('Beaming')).toHaveCount(0)
  expect(await smallTargets(bob)).toEqual([])
  await bob.opensHome()
  await bob.seesDevices(1)
  await bob.sharesText('a text to look at')
  await bob.sharesText('https://example.org/a/page')
  await bob.sees('example.org')
  await expect(bob.page.getByText('Beaming')).toHaveCount(0)
  expect(await smallTargets(bob)).toEqual([])
})

test('in landscape a phone has its tabs at the left, and nothing is below them', async ({ device }) => {
  const bob = await device('Bob', { phone: true })
  await bob.opensSpace()
  await bob.page.setViewportSize({ width: 844, height: 390 })
  const tabs = bob.page.getByRole('navigation', { name: 'Main' })
  // The page is laid out anew after its size has changed.
  await expect.poll(() => tabs.boundingBox()).toMatchObject({ x: 0, y: 0, height: 390 })
  const { width } = (await tabs.boundingBox()) ?? { width: Number.NaN }
  for (const name of ['New Beam', 'Join Beam']) {
    const button = bob.page.getByRole('button', { name })
    await button.scrollIntoViewIfNeeded()
    const box = await button.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(width)
  }
})

test('the message field stays visible above an open keyboard', async ({ device }) => {
  const bob = await device('Bob', { phone: true })
  await bob.opensSpace()
  await bob.page.getByRole('button', { name: 'New Beam' }).click()
  await bob.seesDevices(1)
  await bob.opensHome()
  await bob.seesDevices(1)
  const field = await bob.opensMessageField()
  await field.focus()
  const heading = bob.page.getByRole('heading', { name: 'Start Sharing' })
  const before = await heading.boundingBox()
  // With `resizes-content` an open keyboard makes the window smaller.
  await bob.page.setViewportSize({ width: 390, height: 480 })
  await expect(field).toBeInViewport({ ratio: 1 })
  await expect(bob.page.getByRole('button', { name: 'Send' })).toBeInViewport({ ratio: 1 })
  await expect(bob.page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await expect.poll(() => heading.boundingBox()).toEqual(before)
})

test('the screen is kept awake while a file moves, and no longer', async ({ device, folder, server }) => {
  test.setTimeout(120_000)
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { phone: true, own: 'chromium' })
  for (const { context } of [ada, bob]) {
    await context.grantPermissions(['screen-wake-lock'])
    await context.addInitScript(rememberLocks)
  }
  const wire = await Wire.to(server.origin)
  try {
    await meetThroughServer(ada, bob, server, wire)
    expect([...(await locksOf(ada)), ...(await locksOf(bob))]).toEqual([])
    const file = await folder.file('film.bin', 20 * MB)
    await ada.sharesFiles(file)
    // So slowly that both have asked for the lock before it is over.
    wire.slowsTo(4 * MB)
    await bob.takes(file)
    await bob.has(file)
    for (const one of [ada, bob])
      await expect.poll(async () => (await locksOf(one)).join(' ')).toMatch(/^(released ?)+$/)
  } finally {
    await wire.close()
  }
})

test('a phone says what a locked screen does to a long transfer, before it and meanwhile', async ({
  device,
  server,
  folder,
}) => {
  test.setTimeout(120_000)
  const ada = await device('Ada', { own: 'chromium' })
  const bob = await device('Bob', { phone: true, own: 'chromium' })
  await bob.context.grantPermissions(['screen-wake-lock'])
  const wire = await Wire.to(server.origin)
  try {
    await meetThroughServer(ada, bob, server, wire)
    const [short, long] = [await folder.file('short.bin', MB), await folder.sparse('long.bin', 120 * MB)]
    await ada.sharesFiles(short)
    await expect(bob.file(short).getByRole('button', { name: 'Receive' })).toBeVisible()
    await expect(bob.page.getByText('If the screen locks')).toHaveCount(0)
    await ada.sharesFiles(long)
    await expect(bob.file(long).getByText('If the screen locks')).toBeVisible()
    wire.slowsTo(2 * MB)
    await bob.takes(long)
    await expect(bob.file(long).getByText('The screen stays on until this is done')).toBeVisible()
    // A desktop has no such screen.
    await expect(ada.page.getByText('screen')).toHaveCount(0)
    await bob.file(long).getByRole('button', { name: 'Cancel' }).click()
    await expect(bob.page.getByText('The screen stays on')).toHaveCount(0)
  } finally {
    await wire.close()
  }
})

test('a phone that wakes up shows no interruption, and catches up', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  const sockets: WebSocketRoute[] = []
  await bob.page.clock.install()
  await bob.page.routeWebSocket(/\/ws\/beam\//, (socket) => {
    socket.connectToServer()
    sockets.push(socket)
  })
  await bob.opens(await ada.startsBeam())
  await bob.goesToSpace()
  await ada.seesDevices(2)
  await remembersWords(bob)

  // A sleeping page's clock stands still, so no retry happens by itself. A time that has passed already cannot be set, and what
  // is silent for 8 s counts as dead.
  await bob.page.clock.pauseAt(Date.now() + 6_000)
  await puts(bob, 'away')
  await sockets[0]?.close({ code: 1001, reason: 'asleep' })
  await ada.seesDevices(1)
  await ada.sharesText('while you slept')
  await puts(bob, 'here')
  await bob.sees('while you slept')
  expect(sockets).toHaveLength(2)
  expect(await wordsOf(bob)).toContain('while you slept')
  expect(await wordsOf(bob)).not.toMatch(/Reconnecting|Connection lost/)
})

test('a lasting loss of the connection is shown until it is over', async ({ device }) => {
  const server = await Server.start()
  try {
    const ada = await device('Ada')
    await ada.opens(server.origin)
    await ada.seesDevices(1)
    await server.down()
    await ada.seesToast('Connection lost. What you add now is sent when it is back.')
    await ada.seesToast(/Reconnecting… \d+ of 20/)
    await ada.sharesText('written without a server')
    await server.up()
    // It comes back by the button, or by itself when the next attempt was faster.
    await Promise.any([ada.page.getByRole('button', { name: 'Retry now' }).click(), ada.seesDevices(1)])
    await ada.seesDevices(1)
    await expect(ada.page.getByText(/Connection lost/)).toHaveCount(0)
    await ada.sees('written without a server')
  } finally {
    await server.stop()
  }
})

/** Returns buttons, links and fields with a touch target under 44 px, including the invisible margin. */
async function smallTargets({ page }: Device): Promise<string[]> {
  return await page.evaluate(() => {
    const LEAST = 44
    const reaches = (element: Element, x: number, y: number) => {
      const hit = document.elementFromPoint(x, y)
      return hit !== null && (element.contains(hit) || hit.contains(element))
    }
    return [...document.querySelectorAll('button, a[href], input:not([type=file]), textarea')]
      .filter((element) => element.checkVisibility() && !element.matches('.visually-hidden'))
      .filter((element) => {
        // Elements under the floating bars at the end of the page are scrolled to the middle.
        element.scrollIntoView({ block: 'center', behavior: 'instant' })
        const box = element.getBoundingClientRect()
        if (box.bottom < 0 || box.top > innerHeight || box.width === 0) return false
        const x = box.x + box.width / 2
        const y = box.y + box.height / 2
        const half = LEAST / 2 - 1
        const tall = reaches(element, x, y - half) && reaches(element, x, y + half)
        const broad = reaches(element, x - half, y) && reaches(element, x + half, y)
        return !(tall && broad)
      })
      .map((element) => element.getAttribute('aria-label') ?? element.textContent ?? element.tagName)
  })
}

declare global {
  interface Window {
    heliographLocks?: WakeLockSentinel[]
    heliographWords?: string[]
  }
}

/** Records screen locks. Runs in the page, before its scripts. */
function rememberLocks(): void {
  const locks: WakeLockSentinel[] = []
  window.heliographLocks = locks
  const request = navigator.wakeLock.request.bind(navigator.wakeLock)
  navigator.wakeLock.request = async (type) => {
    const lock = await request(type)
    locks.push(lock)
    return lock
  }
}

async function locksOf({ page }: Device): Promise<string[]> {
  return await page.evaluate(() =>
    (window.heliographLocks ?? []).map(({ released }) => (released ? 'released' : 'held')),
  )
}

/** Records every text that the page shows from now on. */
async function remembersWords({ page }: Device): Promise<void> {
  await page.evaluate(() => {
    const words: string[] = []
    window.heliographWords = words
    new MutationObserver(() => words.push(document.body.textContent)).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    })
  })
}

async function wordsOf({ page }: Device): Promise<string> {
  return await page.evaluate(() => (window.heliographWords ?? []).join('\n'))
}

/** Sends the events of putting the phone away or taking it up again. */
async function puts({ page }: Device, where: 'away' | 'here'): Promise<void> {
  await page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state })
      document.dispatchEvent(new Event('visibilitychange'))
    },
    where === 'here' ? 'visible' : 'hidden',
  )
}
