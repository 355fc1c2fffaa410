/** A large file sent from browser to browser onto the disk, compared with a bare data channel between two browsers. */
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import { sharesInClear } from '../support/sealing.ts'
import type { Server } from '../support/server.ts'
import { bareChannelSpeed } from './bare-channel.ts'
import { browserProcess } from './process-memory.ts'
import { threadSeconds, usedBetween } from './process-threads.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, type OpenBrowser, withTwoBrowsers } from './two-browsers.ts'

const SIZE = 500 * MB
const RUNS = Number(process.env.RUNS ?? 5)

export async function measureDirect(server: Server): Promise<Row[]> {
  const { clear, sealed, bare } = await Folder.with((folder) => alternate(server, folder))
  return [
    row('direct transfer, 500 MB onto the disk', clear, bare, 0.9),
    row('  in a sealed beam', sealed, bare, 0.85),
    row('  in a sealed beam, beside the same in a clear one', sealed, clear, 0.85),
  ]
}

function row(figure: string, ours: readonly number[], theirs: readonly number[], atLeast: number): Row {
  return {
    figure,
    product: speed(median(ours)),
    reference: speed(median(theirs)),
    value: median(ours) / median(theirs),
    target: { atLeast },
  }
}

async function alternate(server: Server, folder: Folder) {
  const film = await folder.file('film.bin', SIZE)
  const clear: number[] = []
  const sealed: number[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    clear.push(await productSpeed(server, film, false))
    sealed.push(await productSpeed(server, film, true))
    bare.push(await bareSpeed(server))
    printRun(`direct, run ${run + 1} of ${RUNS}`, clear.at(-1), bare.at(-1))
    printRun('  sealed', sealed.at(-1), bare.at(-1))
  }
  return { clear, sealed, bare }
}

/** Prints the speeds of one run, which show how much the machine itself varies. */
function printRun(name: string, ours = 0, theirs = 0): void {
  process.stderr.write(`${name}: ${speed(ours)}, reference ${speed(theirs)}\n`)
}

function speed(bytesPerSecond: number): string {
  return `${(bytesPerSecond / MB).toFixed(1)} MB/s`
}

/** Speed from the tap on Receive until the card offers the whole file. Prints which threads of both browsers worked for it. */
async function productSpeed(server: Server, film: TestFile, sealed: boolean): Promise<number> {
  return await withTwoBrowsers(async (one, two) => {
    if (!sealed) for (const { page } of [one, two]) await sharesInClear({ context: page.context() })
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.sharesFiles(film)
    await bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()
    const before = await Promise.all([one, two].map(threadsOf))
    const seconds = await secondsToReceive(bob.page)
    const after = await Promise.all([one, two].map(threadsOf))
    for (const [at, end] of ['sender', 'receiver'].entries())
      process.stderr.write(`  ${end}, ${usedBetween(before[at] ?? new Map(), after[at] ?? new Map())}\n`)
    if ((await bob.savedSha256(film)) !== film.sha256) throw new Error('the file arrived changed')
    return film.size / seconds
  })
}

async function threadsOf({ profile }: OpenBrowser): Promise<Map<string, number>> {
  return await threadSeconds(await browserProcess(profile))
}

/** Taps Receive, and returns the seconds until the page offers the whole file. */
export async function secondsToReceive(page: Page): Promise<number> {
  return await page.evaluate(tapAndWait)
}

/** Taps Receive and waits for the Save link, within the page, so that the driver adds no time. */
async function tapAndWait(): Promise<number> {
  const find = (tag: 'a' | 'button', name: string) =>
    [...document.querySelectorAll<HTMLElement>(`article ${tag}`)].find((element) =>
      (element.ariaLabel ?? element.textContent ?? '').startsWith(name),
    )
  const started = performance.now()
  find('button', 'Receive')?.click()
  await new Promise<void>((resolve) => {
    const look = () => find('a', 'Save') && resolve()
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true })
    look()
  })
  return (performance.now() - started) / 1000
}

async function bareSpeed(server: Server): Promise<number> {
  return await withTwoBrowsers(async (one, two) => {
    // A page of the server that has no script of its own.
    await one.page.goto(`${server.origin}/healthz`)
    await two.page.goto(`${server.origin}/healthz`)
    return await bareChannelSpeed(one.page, two.page, SIZE)
  })
}
