/**
 * A text beside bulk: how long it takes from the press of Send until it is on the screen of every receiver, while a file goes
 * to all of them by the server's relay. Everybody reaches the server over one cable, so the file crosses it up and down.
 */
import type { Page } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import { cutDirectPaths, watchPaths } from '../support/paths.ts'
import { type Lab, onCable, person, received, speed } from './lab.ts'
import { median, type Row } from './table.ts'

/** A queue of a tenth of a second, as routers have it. */
const LINE = { roundTrip: 10, megabits: 40, queue: 512 }
const RECEIVERS = [1, 3]
/** So many in a beam: when its canvas is full, new notes are outside of the view and not drawn. */
const TEXTS = 70
const RUNS = Number(process.env.RUNS ?? 3)
/** More than goes by while it is measured. */
const SIZE = 1_000 * MB
/** How much of it has come to everybody when the first text is sent. */
const UNDER_WAY = 10 * MB
/** The longest that one text of a hundred may take, in milliseconds: what is slower is felt as a wait. */
const SOON_MS = 100

declare global {
  interface Window {
    /** When each text was first on the screen, and in a websocket, in milliseconds since the Unix epoch. */
    seenTexts?: Map<string, number>
    socketTexts?: Map<string, number>
  }
}

interface Measured {
  /** Of each text to each receiver, in milliseconds. */
  readonly times: readonly number[]
  /** The same from the writer's websocket to the receiver's, without what the pages do. */
  readonly ways: readonly number[]
  /** Bytes a second of the file, to all. */
  readonly bulk: number
}

export async function measureBeside(): Promise<Row[]> {
  return await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    const rows: Row[] = []
    for (const receivers of RECEIVERS) {
      const alone: Measured[] = []
      const beside: Measured[] = []
      for (let run = 0; run < RUNS; run += 1) {
        alone.push(await onCable(LINE, (lab) => measureOne(lab, receivers, null)))
        beside.push(await onCable(LINE, (lab) => measureOne(lab, receivers, film)))
        process.stderr.write(
          `text to ${receivers}, run ${run + 1} of ${RUNS}: ${shown(beside.slice(-1))}, alone ${shown(alone.slice(-1))}\n`,
        )
      }
      rows.push({
        figure: `text beside bulk to ${receivers}, p50 / p99`,
        product: shown(beside),
        reference: shown(alone),
        value: share(beside, 99),
        target: { atMost: SOON_MS },
        notes: [
          `10 ms, 5 MB/s; the file came with ${speed(median(beside.map(({ bulk }) => bulk)))} meanwhile, by the server`,
          `of it from websocket to websocket ${shown(beside, 'ways')}, alone ${shown(alone, 'ways')}`,
        ],
      })
    }
    return rows
  })
}

async function measureOne(lab: Lab, count: number, film: TestFile | null): Promise<Measured> {
  const ada = await person(lab, 'Ada', lab.other)
  await watchPaths(ada.context)
  const link = await ada.startsBeam()
  await cutDirectPaths(ada.page)
  const receivers: Device[] = []
  for (let at = 0; at < count; at += 1) receivers.push(await person(lab, `Bob ${at}`, lab.other))
  const writer = await person(lab, 'Cyd', lab.other)
  for (const one of [...receivers, writer]) {
    await one.context.addInitScript(watchSockets)
    await one.opens(link)
  }
  await ada.seesDevices(count + 2)
  if (film) {
    await ada.sharesFiles(film)
    for (const bob of receivers) await bob.takes(film)
    for (const bob of receivers) await bob.reaches(film, (100 * UNDER_WAY) / SIZE)
    for (const bob of receivers) await bob.seesPath(film, 'via server')
  }
  for (const bob of receivers) await bob.page.evaluate(watchTexts)
  const came = async () => (film ? await Promise.all(receivers.map((bob) => received(bob, film))) : [])
  const before = await came()
  const times: number[] = []
  for (let number = 0; number < TEXTS; number += 1) times.push(...(await timesOf(writer, receivers, number)))
  const after = await came()
  const [sent = new Map<string, number>(), ...arrived] = await Promise.all(
    [writer, ...receivers].map(socketTimes),
  )
  const ways = arrived.flatMap((each) => [...each].map(([text, at]) => at - (sent.get(text) ?? Number.NaN)))
  const speeds = after.map(
    ({ at, bytes }, i) => (1_000 * (bytes - (before[i]?.bytes ?? 0))) / (at - (before[i]?.at ?? 0)),
  )
  return { times, ways, bulk: speeds.reduce((sum, one) => sum + one, 0) }
}

/** The milliseconds of one text to each receiver. */
async function timesOf(writer: Device, receivers: readonly Device[], number: number): Promise<number[]> {
  const text = `text ${number} beside`
  await writer.enters(await writer.opensMessageField(), text)
  const sent = await writer.page.getByRole('button', { name: 'Send', exact: true }).evaluate((button) => {
    const now = performance.timeOrigin + performance.now()
    ;(button as HTMLButtonElement).click()
    return now
  })
  return await Promise.all(receivers.map(async ({ page }) => (await seenAt(page, text)) - sent))
}

async function seenAt(page: Page, text: string): Promise<number> {
  const seen = await page.waitForFunction((text) => window.seenTexts?.get(text), text)
  return (await seen.jsonValue()) ?? Number.NaN
}

async function socketTimes({ page }: Device): Promise<Map<string, number>> {
  return new Map(await page.evaluate(() => [...(window.socketTexts ?? [])]))
}

/** Notes each text when a websocket first has it, to send or received. Runs in the page, before its own scripts. */
function watchSockets(): void {
  const times = new Map<string, number>()
  window.socketTexts = times
  const note = (data: unknown) => {
    const [text] = /text \d+ beside/.exec(typeof data === 'string' ? data : '') ?? []
    if (text && !times.has(text)) times.set(text, performance.timeOrigin + performance.now())
  }
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      this.addEventListener('message', ({ data }) => note(data))
    }

    override send(data: string | BufferSource | Blob): void {
      note(data)
      super.send(data)
    }
  }
}

/** Notes each text when it appears. Runs in the page. */
function watchTexts(): void {
  const seen = new Map<string, number>()
  window.seenTexts = seen
  const note = (content: string) => {
    for (const [text] of content.matchAll(/text \d+ beside/g))
      if (!seen.has(text)) seen.set(text, performance.timeOrigin + performance.now())
  }
  new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      if (target instanceof Text) note(target.data)
      for (const node of addedNodes) note(node.textContent ?? '')
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}

function shown(runs: readonly Measured[], of: 'times' | 'ways' = 'times'): string {
  return `${share(runs, 50, of).toFixed(0)} / ${share(runs, 99, of).toFixed(0)} ms`
}

/** So many percent of the texts of all runs take no longer. */
function share(runs: readonly Measured[], percent: number, of: 'times' | 'ways' = 'times'): number {
  const times = runs.flatMap((run) => run[of]).sort((a, b) => a - b)
  return times[Math.ceil((times.length * percent) / 100) - 1] ?? Number.NaN
}
