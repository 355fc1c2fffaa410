/** A real browser without WebRTC: WebKitGTK's MiniBrowser on a virtual display. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from '@playwright/test'
import { LARGE_FILE_MS } from './device.ts'
import type { TestFile } from './files.ts'
import { freePort } from './server.ts'
import { type Element, WebDriver } from './webdriver.ts'

const MINI_BROWSER = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-4.1/MiniBrowser`)
  .find(existsSync)

export class WebKitDevice {
  readonly #driver: WebDriver
  readonly #end: () => Promise<void>
  #hasLeft = false

  private constructor(driver: WebDriver, end: () => Promise<void>) {
    this.#driver = driver
    this.#end = end
  }

  static async start(): Promise<WebKitDevice> {
    if (!MINI_BROWSER) throw new Error('no MiniBrowser: run scripts/install-test-tools')
    const home = await mkdtemp(join(tmpdir(), 'heliograph-webkit-'))
    const display = await startDisplay()
    const port = await freePort()
    const server = spawn('/usr/bin/WebKitWebDriver', ['--host=127.0.0.1', `--port=${port}`], {
      env: { ...process.env, DISPLAY: display.name, HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home },
      stdio: 'ignore',
    })
    await listening(port)
    const driver = await WebDriver.open(`http://127.0.0.1:${port}`, {
      'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] },
    })
    await driver.allowMinutes(3)
    return new WebKitDevice(driver, async () => {
      await driver.close()
      await ended(server)
      await ended(display.process)
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    })
  }

  /** Ends the browser, unless it has left already. */
  async leaves(): Promise<void> {
    if (this.#hasLeft) return
    this.#hasLeft = true
    await this.#end()
  }

  async opens(link: string): Promise<void> {
    await this.#driver.goTo(link)
  }

  async hasWebRtc(): Promise<boolean> {
    return (await this.#driver.run('arguments[0]("RTCPeerConnection" in window)')) as boolean
  }

  async sees(text: string): Promise<void> {
    await this.#one(`//article[contains(., '${text}')]`)
  }

  async sharesFiles(file: TestFile): Promise<void> {
    await this.#driver.type(await this.#one(ANY_FILE), file.path)
  }

  async takes(file: TestFile): Promise<void> {
    await this.#presses(file, 'Receive')
  }

  async pauses(file: TestFile): Promise<void> {
    await this.#presses(file, 'Pause')
  }

  async resumes(file: TestFile): Promise<void> {
    await this.#presses(file, 'Resume')
  }

  /** Waits until so much of the file is here. */
  async reaches(file: TestFile, percent: number): Promise<void> {
    const part = async () => (await this.#driver.run(PART_OF_FILE, file.name)) as number
    await expect.poll(part, { intervals: [20], timeout: LARGE_FILE_MS }).toBeGreaterThanOrEqual(percent / 100)
  }

  /** Expects a text on the card of a file, among its other texts. */
  async reads(file: TestFile, text: string, timeout = LARGE_FILE_MS): Promise<void> {
    // In a list, how far the file is stands behind it in the same element.
    const found = `normalize-space()='${text}' or starts-with(normalize-space(), '${text} · ')`
    await this.#one(`${card(file)}//*[${found}]`, timeout)
  }

  /** Expects the way that the details of a transfer tell. */
  async seesWayInDetails(file: TestFile, way: RegExp): Promise<void> {
    // Its window shows the cards in a list, each with a menu.
    await this.#presses(file, 'More')
    await this.#clicks(`//*[@role='menuitem'][${named('Details')}]`)
    const fact = await this.#one("//dialog//dt[normalize-space()='Way']/following-sibling::dd")
    const text = async () => await this.#driver.run('arguments[1](arguments[0].textContent)', fact)
    await expect.poll(text).toMatch(way)
  }

  async seesPath(file: TestFile, path: string): Promise<void> {
    await this.#one(`${card(file)}//*[normalize-space()='${path}']`)
  }

  /** Returns the SHA-256 of the bytes behind the card's Save link. */
  async savedSha256(file: TestFile): Promise<string> {
    const link = await this.#one(`${card(file)}//a[${named('Save')}]`, LARGE_FILE_MS)
    return (await this.#driver.run(HASH_OF_LINK, link)) as string
  }

  async #presses(file: TestFile, name: string): Promise<void> {
    await this.#clicks(`${card(file)}//button[${named(name)}]`)
  }

  /** Presses what an XPath matches, again where the page has drawn it anew since it was found. */
  async #clicks(xpath: string): Promise<void> {
    for (;;) {
      const found = await this.#one(xpath)
      try {
        return await this.#driver.click(found)
      } catch (error) {
        if (!String(error).includes('stale element reference')) throw error
      }
    }
  }

  async #one(xpath: string, timeout = 30_000): Promise<Element> {
    let found: Element | undefined
    await expect
      .poll(
        async () => {
          found = (await this.#driver.all(xpath))[0]
          return found !== undefined
        },
        { message: xpath, timeout },
      )
      .toBe(true)
    return found as Element
  }
}

/** The picker for any file: in a wide window it is in a menu, in a narrow one in the page. */
const ANY_FILE =
  "//input[@type='file'][@aria-label='Choose files' or ancestor::label[normalize-space()='Any file']]"

/** How much of a file its card says is here, from 0 to 1. In a list, it has no bar any more once all of it is. */
const PART_OF_FILE = `
  const [name, answer] = arguments
  const card = Array.from(document.querySelectorAll('article')).find((one) => one.textContent.includes(name))
  const words = Array.from(card?.querySelectorAll('span') ?? [], (one) => one.textContent.trim())
  const isComplete = words.some((text) => /^Complete( · |,|$)/.test(text))
  answer(card?.querySelector('progress')?.value ?? (isComplete ? 1 : 0))`

const HASH_OF_LINK = `
  const [link, answer] = arguments
  fetch(link.href)
    .then((response) => response.arrayBuffer())
    .then((bytes) => crypto.subtle.digest('SHA-256', bytes))
    .then((hash) => Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join(''))
    .then(answer, (error) => answer(String(error)))`

function card(file: TestFile): string {
  return `//article[contains(., '${file.name}')]`
}

function named(name: string): string {
  return `normalize-space()='${name}' or @aria-label='${name}'`
}

/** Starts a virtual display with a free number. */
async function startDisplay(): Promise<{ process: ChildProcess; name: string }> {
  const child = spawn(
    '/usr/bin/Xvfb',
    ['-displayfd', '1', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const [number] = (await once(child.stdout, 'data')) as [Buffer]
  return { process: child, name: `:${number.toString().trim()}` }
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (open) return
    await pause(50)
  }
  throw new Error(`nobody listens on ${port}`)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
