/** Devices that seal, and what the server is told by them. */
import { type BrowserContext, expect, type Page } from '@playwright/test'
import type { Device } from './device.ts'

/** Has the devices of a context seal what they share. Call it before a page is opened. */
export async function seals({ context }: { context: BrowserContext }): Promise<void> {
  await context.addInitScript(() => localStorage.setItem('encryption', 'on'))
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
    page.on('request', (request) => this.#said.push(request.url(), request.postData() ?? ''))
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

  /** Expects that something was overheard: that of a control run. */
  knowsOf(text: string): void {
    expect(this.#said.some((said) => said.includes(text))).toBe(true)
  }
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
