/** Devices that seal, and what the server is told by them. */
import { type BrowserContext, expect, type Page } from '@playwright/test'
import type { Device } from './device.ts'

/** Has the devices of a context share in clear text. Call it before a page is opened. */
export async function sharesInClear({ context }: { context: BrowserContext }): Promise<void> {
  await context.addInitScript(() => localStorage.setItem('encryption', 'off'))
}

/** Notes everything that a page sends to the server and hears from it. */
export class Overheard {
  readonly #said: string[] = []

  constructor(page: Page) {
    page.on('websocket', (socket) => {
      const note = ({ payload }: { payload: string | Buffer }) => this.#said.push(payload.toString('latin1'))
      socket.on('framesent', note)
      socket.on('framereceived', note)
    })
    page.on('request', (request) => {
      const headers = Object.values(request.headers())
      this.#said.push(request.url(), ...headers, request.postDataBuffer()?.toString('latin1') ?? '')
    })
    page.on('console', (message) => this.#said.push(message.text()))
  }

  /** What was overheard. */
  get said(): readonly string[] {
    return this.#said
  }

  /** Expects that something was overheard at all, and nothing of these. */
  knowsNothingOf(...secrets: readonly string[]): void {
    expect(this.#said.length).toBeGreaterThan(0)
    for (const secret of secrets) {
      const bytes = Buffer.from(secret, 'latin1')
      const forms = [secret, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')]
      for (const form of forms) expect(this.#said.filter((said) => said.includes(form))).toEqual([])
    }
  }

  /** Expects that the secret of a link was overheard in no form, nor any of these texts. */
  knowsNotTheSecretOf(link: string, ...texts: readonly string[]): void {
    expect(this.#said.length).toBeGreaterThan(0)
    for (const form of formsOfSecret(link))
      expect([...this.#said, ...texts].filter((said) => said.includes(form))).toEqual([])
  }

  /** Expects that something was overheard: that of a control run. */
  knowsOf(text: string): void {
    expect(this.#said.some((said) => said.includes(text))).toBe(true)
  }
}

/** The secret of a link in the forms in which a program may have it: as in the link, its bytes, and these as text. */
export function formsOfSecret(link: string): readonly string[] {
  const [, secret = ''] = /#k=([\w-]{43})$/.exec(link) ?? []
  expect(secret).not.toBe('')
  const bytes = Buffer.from(secret, 'base64url')
  const hex = bytes.toString('hex')
  return [
    secret,
    bytes.toString('latin1'),
    bytes.toString('base64').replace(/=+$/, ''),
    encodeURIComponent(bytes.toString('base64')),
    hex,
    hex.toUpperCase(),
    bytes.join(','),
    Buffer.from(secret).toString('base64url').replace(/.$/, ''),
    Buffer.from(secret).toString('hex'),
  ]
}

/** The pictures that a device shows to be compared, in its list of devices. */
export async function picturesOn(device: Device): Promise<string[]> {
  const pictures = device.page.getByRole('list', { name: 'Pictures to compare' }).getByRole('listitem')
  await expect(pictures).toHaveCount(4)
  return pictures.allInnerTexts()
}

/** Expects that a device says that the beam is encrypted, for so many devices. */
export async function encrypted(device: Device, count: number): Promise<void> {
  await expect(device.page.getByRole('button', { name: `Encrypted · ${count} devices` })).toBeVisible()
}

/** Opens the list of devices. */
export async function opensDevices(device: Device): Promise<void> {
  await device.page.locator('button[aria-haspopup=dialog][aria-expanded=false]').first().click()
}

/** Expects so many devices in the list. The pill does not count those that came by an id or a code and were not compared. */
export async function seesInList(device: Device, count: number): Promise<void> {
  await opensDevices(device)
  const list = device.page.getByRole('list').filter({ hasText: 'This device' })
  await expect(list.locator(':scope > li')).toHaveCount(count)
  await device.page.keyboard.press('Escape')
}

/**
 * Expects in the list of devices that another one is reached by this way. Where there are several, a file that begins at once may
 * be through by the way that opened first, which is not the one that stays.
 */
export async function reachesInList(device: Device, path: 'Direct' | 'via TURN'): Promise<void> {
  await opensDevices(device)
  await expect(device.page.getByRole('list').getByText(path, { exact: true }).first()).toBeVisible({
    timeout: 60_000,
  })
  await device.page.keyboard.press('Escape')
}
