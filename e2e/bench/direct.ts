/** A large file sent from browser to browser onto the disk, compared with a bare data channel between two browsers. */
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import { sharesInClear } from '../support/sealing.ts'
import type { Server } from '../support/server.ts'
import { bareChannelSpeed } from './bare-channel.ts'
import { onCable } from './lab.ts'
import { browserProcess } from './process-memory.ts'
import { threadSeconds, usedBetween } from './process-threads.ts'
import { printSpeeds, speeds } from './speeds.ts'
import type { Row } from './table.ts'
import { DESKTOP_CHROMIUM, type OpenBrowser, withTwoBrowsers } from './two-browsers.ts'

const SIZE = 500 * MB
const RUNS = Number(process.env.RUNS ?? 5)

export async function measureDirect(server: Server): Promise<Row[]> {
  return await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    const { clear, sealed, bare } = await onOneMachine(server, film)
    const far = await overTheCable(film)
    return [
      speeds('direct transfer, 500 MB onto the disk', clear, bare, 0.9),
      speeds('  in a sealed beam', sealed, bare, 0.85),
      speeds('  in a sealed beam, beside a clear one, 10 ms', far.sealed, far.clear, 0.98),
    ]
  })
}

async function onOneMachine(server: Server, film: TestFile) {
  const clear: number[] = []
  const sealed: number[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    const transfers = (isSealed: boolean) =>
      withTwoBrowsers((one, two) => productSpeed([one, two], server.origin, film, isSealed))
    clear.push(await transfers(false))
    sealed.push(await transfers(true))
    bare.push(await bareSpeed(server))
    printSpeeds(`direct, run ${run + 1} of ${RUNS}`, clear.at(-1), bare.at(-1))
    printSpeeds('  sealed', sealed.at(-1), bare.at(-1))
  }
  return { clear, sealed, bare }
}

/** Between two machines, with a cable of 10 ms between them. */
async function overTheCable(film: TestFile) {
  const clear: number[] = []
  const sealed: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    const transfers = (isSealed: boolean) =>
      onCable({ roundTrip: 10 }, async ({ browser, one, other, origin }) =>
        productSpeed([await browser(one), await browser(other)], origin, film, isSealed),
      )
    clear.push(await transfers(false))
    sealed.push(await transfers(true))
    printSpeeds(`10 ms, run ${run + 1} of ${RUNS}: sealed`, sealed.at(-1), clear.at(-1))
  }
  return { clear, sealed }
}

/** Speed from the tap on Receive until the card offers the whole file. Prints which threads of both browsers worked for it. */
async function productSpeed(
  browsers: readonly [OpenBrowser, OpenBrowser],
  origin: string,
  film: TestFile,
  isSealed: boolean,
): Promise<number> {
  const [one, two] = browsers
  if (!isSealed) for (const { page } of browsers) await sharesInClear({ context: page.context() })
  const ada = new Device('Ada', one.page, origin, DESKTOP_CHROMIUM)
  const bob = new Device('Bob', two.page, origin, DESKTOP_CHROMIUM)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()
  const before = [await threadsOf(one), await threadsOf(two)] as const
  const seconds = await secondsToReceive(bob.page)
  process.stderr.write(`  sender, ${usedBetween(before[0], await threadsOf(one))}\n`)
  process.stderr.write(`  receiver, ${usedBetween(before[1], await threadsOf(two))}\n`)
  if ((await bob.savedSha256(film)) !== film.sha256) throw new Error('the file arrived changed')
  return film.size / seconds
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
