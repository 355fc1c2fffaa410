import { expect } from '@playwright/test'
import { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

test(
  'a copied tab is a device of its own, and the original stays connected',
  everywhere,
  async ({ device, browserName }) => {
    const ada = await device('Ada')
    const bob = await device('Bob')
    await bob.context.addInitScript(rememberSockets)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)

    const opening = bob.context.waitForEvent('page')
    // A page that this one opens begins with a copy of its storage, like a duplicated tab.
    await bob.page.evaluate(() => void window.open(location.href))
    const traits = { phone: false, browser: browserName === 'firefox' ? 'firefox' : 'chromium' } as const
    const copy = new Device('Copy', await opening, bob.origin, traits)
    await ada.seesDevices(3)
    await copy.sharesText('from the copy')
    await bob.sees('from the copy')
    await bob.sharesText('from the original')
    await copy.sees('from the original')

    const [original, copied] = [await socketsOf(bob), await socketsOf(copy)]
    expect(original).toEqual({ tokens: [expect.any(String)], closes: [] })
    expect(copied).toEqual({ tokens: [expect.any(String)], closes: [] })
    expect(copied.tokens).not.toEqual(original.tokens)
  },
)

test('a page that is loaded again or returned to stays the same device', everywhere, async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.context.addInitScript(rememberSockets)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  const [token] = (await socketsOf(bob)).tokens
  expect(token).toBeTruthy()

  await bob.page.reload()
  await bob.seesDevices(2)
  expect((await socketsOf(bob)).tokens).toEqual([token])

  await bob.opens('about:blank')
  await ada.seesDevices(1)
  await bob.page.goBack()
  await bob.seesDevices(2)
  await ada.seesDevices(2)
  expect(new Set((await socketsOf(bob)).tokens)).toEqual(new Set([token]))
})

interface Sockets {
  /** The token that each socket was opened with. */
  readonly tokens: string[]
  /** The codes with which sockets were closed. */
  readonly closes: number[]
}

declare global {
  interface Window {
    heliographSockets?: Sockets
  }
}

/** Records the page's sockets. Runs in the page, before its scripts. */
function rememberSockets(): void {
  const sockets: Sockets = { tokens: [], closes: [] }
  window.heliographSockets = sockets
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL) {
      super(url)
      this.addEventListener('close', ({ code }) => sockets.closes.push(code))
    }

    override send(data: string | Uint8Array<ArrayBuffer>): void {
      const message = typeof data === 'string' && data.startsWith('{') ? JSON.parse(data) : null
      if (message?.type === 'auth') sockets.tokens.push(message.extra.device_token)
      super.send(data)
    }
  }
}

async function socketsOf({ page }: Device): Promise<Sockets> {
  return await page.evaluate(() => window.heliographSockets ?? { tokens: [], closes: [] })
}
