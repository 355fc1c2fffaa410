/** What end-to-end encryption costs, beside the same in a clear beam in the same run. Bytes of files: `direct.ts`. */
import type { Browser, Page } from '@playwright/test'
import { DESKTOP, PHONE } from '../support/browsers.ts'
import { Device } from '../support/device.ts'
import { sharesInClear } from '../support/sealing.ts'
import type { Server } from '../support/server.ts'
import { withFreshBrowser, withFreshPage } from './fresh-pages.ts'
import { ITEM, untilFirstItem } from './joining.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM } from './two-browsers.ts'

const TEXTS = 40
const JOINS = 20
/** A kept beam holds 5,000 items, and one of them has its keys (E10). */
const NOTES = 4_999
const OPENINGS = Number(process.env.RUNS ?? 3)
/** After the first 500 messages the server reads at most 100 per second (S15), so a page that shares faster only waits. */
const PER_TEXT_MS = 10
const FILLED_WITHIN_MS = 300_000

interface Pair {
  readonly sealed: number[]
  readonly clear: number[]
}

export async function measureSealed(server: Server): Promise<Row[]> {
  return await withFreshBrowser(async (browser) => {
    const texts = await alternate(TEXTS, await textTimes(browser, server))
    const joins = await alternate(JOINS, await joinTimes(browser, server))
    const notes = await alternate(OPENINGS, await notesTimes(browser, server))
    const [sealed, clear] = [median(notes.sealed), median(notes.clear)]
    return [
      ratio('a text, from Send to the other screen', texts, 1.2),
      ratio('a link opened, to the first item', joins, 1.3),
      {
        figure: `${NOTES} notes opened, seconds more than clear`,
        product: milliseconds(sealed),
        reference: milliseconds(clear),
        value: (sealed - clear) / 1000,
        target: { atMost: 1 },
      },
    ]
  })
}

type Measure = (isSealed: boolean) => Promise<number>

async function alternate(times: number, measure: Measure): Promise<Pair> {
  const pair: Pair = { sealed: [], clear: [] }
  for (let run = 0; run < times; run += 1) {
    pair.sealed.push(await measure(true))
    pair.clear.push(await measure(false))
    const last = [pair.sealed, pair.clear].map((values) => milliseconds(values.at(-1) ?? Number.NaN))
    process.stderr.write(`sealed, run ${run + 1} of ${times}: ${last[0]}, clear ${last[1]}\n`)
  }
  return pair
}

function ratio(figure: string, { sealed, clear }: Pair, atMost: number): Row {
  const [product, reference] = [median(sealed), median(clear)]
  return {
    figure: `${figure}, sealed beside clear`,
    product: milliseconds(product),
    reference: milliseconds(reference),
    value: product / reference,
    target: { atMost },
  }
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`
}

async function opensDevice(browser: Browser, server: Server, isSealed: boolean): Promise<Device> {
  const context = await browser.newContext({ viewport: DESKTOP })
  if (!isSealed) await sharesInClear({ context })
  return new Device('Ada', await context.newPage(), server.origin, DESKTOP_CHROMIUM)
}

/** Two devices in a beam, and how long a text of one takes to the screen of the other. */
async function textTimes(browser: Browser, server: Server): Promise<Measure> {
  const twoIn = async (isSealed: boolean) => {
    const ada = await opensDevice(browser, server, isSealed)
    const bob = await opensDevice(browser, server, isSealed)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await isNarrow(ada)
    return { ada, bob }
  }
  const pairs = { sealed: await twoIn(true), clear: await twoIn(false) }
  let count = 0
  return async (isSealed) => {
    const { ada, bob } = pairs[isSealed ? 'sealed' : 'clear']
    count += 1
    const text = `text ${count}.`
    const seen = bob.page.evaluate(whenSeen, text)
    return -(await ada.page.evaluate(sendsText, text)) + (await seen)
  }
}

async function joinTimes(browser: Browser, server: Server): Promise<Measure> {
  const links = new Map<boolean, string>()
  for (const isSealed of [true, false]) {
    const ada = await opensDevice(browser, server, isSealed)
    links.set(isSealed, await ada.startsBeam())
    await ada.sharesText(ITEM)
    await ada.sees(ITEM)
  }
  return (isSealed) => opened(browser, isSealed, (page) => untilFirstItem(page, links.get(isSealed) ?? ''))
}

/** Two kept beams of as many notes as one holds, and how long a new device takes until it shows them all. */
async function notesTimes(browser: Browser, server: Server): Promise<Measure> {
  const links = new Map<boolean, string>()
  for (const isSealed of [true, false]) links.set(isSealed, await fills(browser, server, isSealed))
  return (isSealed) =>
    opened(browser, isSealed, async (page) => {
      await page.goto(links.get(isSealed) ?? '')
      return await page.evaluate(whenAllAreShown, NOTES)
    })
}

async function opened<T>(browser: Browser, isSealed: boolean, run: (page: Page) => Promise<T>): Promise<T> {
  return await withFreshPage(browser, async (page) => {
    if (!isSealed) await sharesInClear({ context: page.context() })
    return await run(page)
  })
}

/** Returns the link of a kept beam with `NOTES` notes. */
async function fills(browser: Browser, server: Server, isSealed: boolean): Promise<string> {
  const ada = await opensDevice(browser, server, isSealed)
  const link = await ada.startsBeam()
  await ada.sharesText('note 0.')
  await ada.page.getByRole('button', { name: 'Keep it for 1 h' }).click()
  await ada.page.getByRole('button', { name: /1 device · kept/i }).waitFor()
  await isNarrow(ada)
  for (let at = 1; at < NOTES; at += 1) {
    await ada.page.evaluate(sendsText, `note ${at}.`)
    await ada.page.waitForTimeout(PER_TEXT_MS)
  }
  await withFreshPage(browser, async (page) => {
    if (!isSealed) await sharesInClear({ context: page.context() })
    await page.goto(link)
    await page
      .getByRole('article')
      .nth(NOTES - 1)
      .waitFor({ timeout: FILLED_WITHIN_MS })
  })
  await ada.page.context().close()
  return link
}

/** A narrow page draws only the notes that are near, and its field for a text is always open. */
async function isNarrow({ page }: Device): Promise<void> {
  await page.setViewportSize(PHONE)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
}

/** Sends a text from a narrow page. Returns when, in milliseconds since the Unix epoch. */
function sendsText(text: string): number {
  const field = document.querySelector('textarea')
  const send = [...document.querySelectorAll('button')].find(({ ariaLabel }) => ariaLabel === 'Send')
  if (!field || !send) throw new Error('There is no field for a text.')
  // React hears of a value that was set by the property of the element's class.
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
  const now = Date.now()
  send.click()
  return now
}

/** Returns when a card with the text is on the page, by the same clock. */
function whenSeen(text: string): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      const cards = [...document.querySelectorAll('article')]
      if (!cards.some(({ textContent }) => textContent.includes(text))) return
      watching.disconnect()
      resolve(Date.now())
    }
    const watching = new MutationObserver(look)
    watching.observe(document.body, { subtree: true, childList: true })
    look()
  })
}

/** Returns the milliseconds from the start of the page until it has so many cards. */
function whenAllAreShown(count: number): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelectorAll('article').length < count) return
      watching.disconnect()
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
    }
    const watching = new MutationObserver(look)
    watching.observe(document, { subtree: true, childList: true })
    look()
  })
}
