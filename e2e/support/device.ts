/** A person at a device: methods named after what people do and see. Elements are found by role and name. */
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import type { TestFile } from './files.ts'
import { sha256Of } from './files.ts'
import { readDrawnQr, readQr } from './qr.ts'

/** Timeout for a large file on two cores that run two browsers and a server. */
export const LARGE_FILE_MS = 180_000

/** For what a page shows once its server is back, which it tries to reach every 6 s. */
export const BACK = { timeout: 30_000 }

export type BrowserName = 'chromium' | 'firefox'

export interface Traits {
  /** Whether the screen is narrow, with the message field and the pickers in the page. */
  readonly phone: boolean
  readonly browser: BrowserName
  /** The folder of its profile, where it has a browser of its own. */
  readonly profile?: string | undefined
}

interface SeenDevices {
  /** How many of them do not seal, and so do not count where it says that the beam is encrypted. */
  plain?: number
  timeout?: number
}

export class Device {
  readonly name: string
  readonly page: Page
  readonly context: BrowserContext
  readonly origin: string
  readonly #traits: Traits

  constructor(name: string, page: Page, origin: string, traits: Traits) {
    this.name = name
    this.page = page
    this.context = page.context()
    this.origin = origin
    this.#traits = traits
  }

  get profile(): string {
    if (this.#traits.profile === undefined) throw new Error(`${this.name} has no browser of its own`)
    return this.#traits.profile
  }

  async opensHome(): Promise<void> {
    await this.page.goto(this.origin)
  }

  async opensSpace(): Promise<void> {
    await this.page.goto(`${this.origin}/space`)
  }

  /** On a phone. */
  async goesToSpace(): Promise<void> {
    await this.#goesTo('Space')
  }

  async goesHome(): Promise<void> {
    await this.#goesTo('Home')
  }

  /** The page before, which has buttons of the same names, is there for a moment longer than its address. */
  async #goesTo(name: 'Home' | 'Space'): Promise<void> {
    const link = this.page.getByRole('link', { name, exact: true })
    await link.click()
    await expect(link).toHaveAttribute('aria-current', 'page')
  }

  async opens(link: string): Promise<void> {
    await this.page.goto(link)
  }

  /** The link in the QR code on the screen. */
  async scansOwnQr(): Promise<string> {
    const picture = this.page.getByRole('img', { name: 'QR code of this beam' })
    let link: string | null = null
    // It may not be drawn yet, or be moving to its corner.
    await expect
      .poll(async () => {
        link = readQr(await picture.screenshot({ animations: 'disabled' }))
        return link
      })
      .toContain('?beam_id=')
    return link ?? ''
  }

  /** Opens the page and returns the link by which another device joins. */
  async startsBeam(): Promise<string> {
    await this.opensHome()
    return await this.#readsOwnQr()
  }

  /** The link in the QR code of the page, read from its drawing. `scansOwnQr` is for tests of what is on the screen. */
  async #readsOwnQr(): Promise<string> {
    const drawing = this.page.getByRole('img', { name: 'QR code of this beam' })
    let link: string | null = null
    await expect
      .poll(async () => {
        const [rows, side] = await drawing.evaluate(
          (svg) =>
            [
              svg.querySelector('path:last-of-type')?.getAttribute('d') ?? '',
              (svg as SVGSVGElement).viewBox.baseVal.width,
            ] as const,
        )
        link = readDrawnQr(rows, side)
        return link
      })
      .toContain('?beam_id=')
    await expect(drawing).toBeVisible()
    return link ?? ''
  }

  /** The dialog joins as soon as it holds a whole id. */
  async joinsByTyping(text: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Join Beam' }).click()
    await this.enters(this.page.getByRole('dialog').getByRole('textbox', { name: 'Enter Beam ID' }), text)
  }

  async seesDevices(count: number, { plain = 0, ...within }: SeenDevices = {}): Promise<void> {
    const devices = (number: number) => (number === 1 ? '1 device' : `${number} devices`)
    const all = `(Not (verified|encrypted) · )?${devices(count)}`
    const text = new RegExp(`^(${all}|Encrypted · ${devices(count - plain)})( · kept.*)?$`, 'i')
    await expect(this.page.getByText(text).first()).toBeVisible(within)
  }

  async seesHeading(name: string): Promise<void> {
    await expect(this.page.getByRole('heading', { name })).toBeVisible()
  }

  /** A toast goes again after seconds: one that comes while a test does other things is looked for from before they begin, or kept. */
  async seesToast(text: string | RegExp, options: { timeout?: number } = {}): Promise<void> {
    await expect(this.page.getByText(text).first()).toBeVisible(options)
  }

  /**
   * Has toasts stay from now on, as under the pointer: where the machine is busy, a look at one may come too late. The pointer goes
   * through them, but for what they offer.
   */
  async keepsToasts(): Promise<void> {
    await this.context.addInitScript(styleToasts, KEPT_TOASTS)
    await this.page.evaluate(styleToasts, KEPT_TOASTS)
  }

  /** Has the toasts of this page end by themselves again. */
  async letsToastsGo(): Promise<void> {
    await this.page.evaluate(styleToasts, '')
  }

  /** Presses a key until something shows that it was heard. What listens comes a moment after what it belongs to is drawn. */
  async presses(key: string, shows: Locator): Promise<void> {
    await expect(async () => {
      await this.page.keyboard.press(key)
      await expect(shows).toBeVisible({ timeout: 2_000 })
    }).toPass()
  }

  /** A dialog that has closed takes its entry out of the history, which would end the way to another page. */
  async seesNoDialog(): Promise<void> {
    await this.page.waitForFunction(() => history.state?.overlay !== true)
  }

  /** Closes by the back button what has opened. Before that has its entry in the history, the page itself would be left. */
  async closesByBack(): Promise<void> {
    await this.page.waitForFunction(() => history.state?.overlay === true)
    await this.page.goBack()
  }

  async sharesText(text: string): Promise<void> {
    await this.enters(await this.opensMessageField(), text)
    await this.page.getByRole('button', { name: 'Send', exact: true }).click()
  }

  /** Replaces the text of a field. */
  async enters(field: Locator, text: string): Promise<void> {
    if (this.#traits.browser === 'chromium') return await field.fill(text)
    // Firefox's driver sets the value without events. A key that is undone triggers them, unless the page draws the field
    // anew before, without a value of which it has not heard.
    await expect(async () => {
      await field.fill(text)
      await field.press('End')
      await field.press('x')
      await field.press('Backspace')
      // A field that ends its dialog by a whole value is gone by now.
      const value = await field.inputValue({ timeout: 500 }).catch(() => text)
      expect(value === '').toBe(text === '')
    }).toPass()
  }

  async opensMessageField(): Promise<Locator> {
    if (this.#traits.phone) return this.page.getByRole('textbox', { name: 'Message' })
    await this.page.getByRole('button', { name: 'Message', exact: true }).click()
    return this.page.getByRole('textbox', { name: 'Type a message' })
  }

  /** The card of the item with this text or file name. */
  card(text: string): Locator {
    return this.page.getByRole('article').filter({ hasText: text })
  }

  /** The file: its card, or its entry in the card of its batch. */
  file(file: TestFile): Locator {
    return this.page.locator('article, article li').filter({ hasText: file.name }).last()
  }

  /** Uses an action on a card: a button above a note, or a command in the menu of a card in a list. */
  async uses(card: Locator, action: string): Promise<void> {
    if (!this.#traits.phone) {
      await card.hover()
      return await card.getByRole('button', { name: action, exact: true }).click()
    }
    await card.getByRole('button', { name: 'More' }).click()
    await card.getByRole('menuitem', { name: action, exact: true }).click()
  }

  /** Expects to see the item exactly once. */
  async sees(text: string, within: { timeout?: number } = {}): Promise<void> {
    await expect(this.card(text)).toHaveCount(1, within)
    await expect(this.card(text)).toBeVisible()
  }

  async seesNothingOf(text: string, within: { timeout?: number } = {}): Promise<void> {
    await expect(this.card(text)).toHaveCount(0, within)
  }

  /** Shares files by the picker for any file. */
  async sharesFiles(...files: readonly TestFile[]): Promise<void> {
    await this.picker().setInputFiles(files.map((file) => file.path))
  }

  picker(): Locator {
    return this.page.getByLabel(this.#traits.phone ? 'Any file' : 'Choose files')
  }

  async takes(file: TestFile): Promise<void> {
    await this.file(file).getByRole('button', { name: 'Receive' }).click()
  }

  /** Receives a file of which an earlier page may have kept nothing: it is then only offered. */
  async takesUnlessBegun(file: TestFile): Promise<void> {
    const receive = this.file(file).getByRole('button', { name: 'Receive' })
    const bar = this.file(file).getByRole('progressbar')
    await expect(receive.or(bar).or(this.#download(file)).first()).toBeVisible({ timeout: LARGE_FILE_MS })
    if (await receive.isVisible()) await receive.click()
  }

  /** Receives it into a file of the disk, by Chromium's picker. */
  async takesInto(file: TestFile): Promise<void> {
    await this.file(file).getByRole('button', { name: 'Save as…' }).click()
  }

  async pauses(file: TestFile): Promise<void> {
    await this.file(file).getByRole('button', { name: 'Pause', exact: true }).click()
  }

  /**
   * Presses Pause once so much of a file has come or gone. It is called together with what starts the transfer, all of which may
   * happen in between.
   */
  async pausesAt(file: Named, percent: number): Promise<void> {
    await this.page.evaluate(actsAt, this.#at(file, percent, 'pause'))
  }

  /** Presses Pause all, in the open list of transfers, likewise. */
  async pausesAllAt(file: Named, percent: number): Promise<void> {
    await this.page.evaluate(actsAt, this.#at(file, percent, 'pause all'))
  }

  /** Reloads the page once so much of a file has come or gone. */
  async reloadsAt(file: TestFile, percent: number): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: LARGE_FILE_MS })
    await this.page.evaluate(actsAt, this.#at(file, percent, 'reload'))
    await loaded
  }

  #at({ name }: Named, percent: number, act: InPage['act']): InPage {
    return { name, part: percent / 100, act, within: LARGE_FILE_MS }
  }

  async resumes(file: TestFile): Promise<void> {
    await this.file(file).getByRole('button', { name: 'Resume', exact: true }).click()
  }

  async cancels(file: TestFile): Promise<void> {
    await this.file(file).getByRole('button', { name: 'Cancel' }).click()
  }

  async seesPath(file: TestFile, path: 'Direct' | 'via TURN' | 'via server' | 'Stored'): Promise<void> {
    // Over a long way it is several connections: `Direct ×8`.
    const way = this.file(file).getByText(new RegExp(`^${path}( ×\\d+)?$`))
    await expect(way).toBeVisible({ timeout: LARGE_FILE_MS })
  }

  /** Expects a text on the card of a file, among its other texts. */
  async reads(file: TestFile, text: string, timeout = LARGE_FILE_MS): Promise<void> {
    await expect(this.file(file).getByText(text, { exact: true })).toBeVisible({ timeout })
  }

  /** Expects the way that the details of a transfer tell. */
  async seesWayInDetails(file: TestFile, way: RegExp): Promise<void> {
    await this.uses(this.card(file.name), 'Details')
    const facts = this.page.getByRole('dialog', { name: 'Details' }).locator('dl > div')
    await expect(facts.filter({ has: this.page.getByText('Way', { exact: true }) }).locator('dd')).toHaveText(
      way,
    )
    await this.page.keyboard.press('Escape')
  }

  /** Waits until the file is received. */
  async has(file: TestFile, timeout = LARGE_FILE_MS): Promise<void> {
    await expect(this.#download(file)).toBeVisible({ timeout })
  }

  /** Returns the percentage on the card; 0 before the transfer begins. */
  async progress(file: TestFile): Promise<number> {
    const values = await this.file(file)
      .getByRole('progressbar')
      .evaluateAll((bars) => bars.map((bar) => (bar as HTMLProgressElement).value))
    return 100 * (values[0] ?? 0)
  }

  /** Waits until so much of the file is here. In a list, a card has no bar any more once all of it is. */
  async reaches(file: TestFile, percent: number, timeout = LARGE_FILE_MS): Promise<void> {
    const come = async () => {
      const now = await this.progress(file)
      return now === 0 && (await this.#isComplete(file)) ? 100 : now
    }
    await expect.poll(come, { intervals: [20], timeout }).toBeGreaterThanOrEqual(percent)
  }

  async #isComplete(file: TestFile): Promise<boolean> {
    const word = this.file(file).getByText(/^Complete( · |,|$)/)
    return await word.or(this.#download(file)).first().isVisible()
  }

  /** Returns the SHA-256 of the file that the person saves. */
  async savedSha256(file: TestFile): Promise<string> {
    await this.has(file)
    return this.#traits.browser === 'chromium'
      ? await this.#downloadedSha256(file)
      : await this.#blobSha256(file)
  }

  /**
   * Waits until the server has all that was shared here. Until then the tab keeps it, and notes that within 200 ms: a longer timer that the
   * page sets now ends after that one, however long the page stands still.
   */
  async hasSentAll(): Promise<void> {
    const isKept = () =>
      this.page.evaluate(async () => {
        await new Promise((resolve) => setTimeout(resolve, 250))
        return sessionStorage.getItem('unsent') !== null
      })
    await expect.poll(isKept, { timeout: 30_000 }).toBe(false)
  }

  /** Closes all pages of the browser. */
  async leaves(): Promise<void> {
    await this.context.close()
  }

  async #downloadedSha256(file: TestFile): Promise<string> {
    // What the server has sealed is received first.
    const coming = this.page.waitForEvent('download', { timeout: LARGE_FILE_MS })
    await this.#download(file).click()
    const download = await coming
    expect(download.suggestedFilename()).toBe(file.name)
    return await sha256Of(await download.path())
  }

  /** Firefox's driver reports no downloads, so the same address is read within the page. */
  async #blobSha256(file: TestFile): Promise<string> {
    const save = this.#download(file)
    if (await save.evaluate((element) => element instanceof HTMLButtonElement)) await save.click()
    return await this.#link(file).evaluate(async (link) => {
      const bytes = await (await fetch((link as HTMLAnchorElement).href)).arrayBuffer()
      const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
      return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
    })
  }

  /** What saves a file in one step: a link to its bytes, or a button where the server has a sealed copy of it. */
  #download(file: TestFile): Locator {
    const button = this.file(file).getByRole('button', { name: /^Save( (?!as…|all).+)?$/ })
    return this.#link(file).or(button).last()
  }

  #link(file: TestFile): Locator {
    // A picture that is shown has Download among its actions (on phones in its menu), every other file has Save.
    return this.file(file)
      .getByRole('link', { name: /^(Save|Download)( |$)/ })
      .or(this.page.getByRole('menuitem', { name: 'Download' }))
      .last()
  }
}

const KEPT_TOASTS = `
  [data-toast] { animation-play-state: running, paused !important; pointer-events: none !important }
  [data-toast] button:not([aria-label]) { pointer-events: auto }`

/** Runs in the page. */
function styleToasts(rules: string): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(rules)
  document.adoptedStyleSheets = [sheet]
}

/** A file or a folder. */
type Named = Pick<TestFile, 'name'>

interface InPage {
  /** The name of the file. */
  readonly name: string
  /** The part of it, from 0 to 1. */
  readonly part: number
  readonly act: 'pause' | 'pause all' | 'reload'
  /** Milliseconds. */
  readonly within: number
}

/**
 * Acts once the card of a file shows that so much of it has come or gone. Runs in the page: where the machine is busy, a test
 * that looks from outside hears of it when all has come.
 */
function actsAt({ name, part, act, within }: InPage): Promise<void> {
  const card = () => {
    const cards = Array.from(document.querySelectorAll('article, article li'))
    return cards.filter((one) => one.textContent.includes(name)).at(-1)
  }
  const come = () => card()?.querySelector('progress')?.value ?? 0
  const presses = (name: string, on: ParentNode | undefined) => {
    const buttons = Array.from(on?.querySelectorAll('button') ?? [])
    const button = buttons.find((one) => (one.ariaLabel ?? one.textContent) === name)
    button?.click()
    return button !== undefined
  }
  const reloads = () => {
    location.reload()
    return true
  }
  const acts = {
    pause: () => presses('Pause', card()),
    'pause all': () => presses('Pause all', document),
    reload: reloads,
  }[act]
  const until = performance.now() + within
  return new Promise((resolve, reject) => {
    const look = () => {
      if (come() >= part && acts()) return resolve()
      if (performance.now() > until) return reject(new Error(`no ${act}: ${come()} of ${name} has come`))
      setTimeout(look, 10)
    }
    setTimeout(look, 10)
    // Nothing can be answered by a page that is gone.
    if (act === 'reload') resolve()
  })
}
