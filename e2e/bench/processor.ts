/**
 * What a large file costs the processor at both ends, on one machine and over a cable of 10 ms: the longest task of the
 * pages' main threads, and the time of each thread. Both browsers share the machine's cores, so a task may wait for one
 * far longer than it runs: the figure is the time for which it ran.
 */
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import type { Server } from '../support/server.ts'
import { secondsToReceive } from './direct.ts'
import { onCable } from './lab.ts'
import { recordMainThread } from './main-thread.ts'
import { browserProcess } from './process-memory.ts'
import { threadSeconds, usedBetween } from './process-threads.ts'
import type { Row } from './table.ts'
import { DESKTOP_CHROMIUM, type OpenBrowser, withTwoBrowsers } from './two-browsers.ts'

const SIZE = 500 * MB
/** A task below this is not long (Long Tasks API, section 2.1), in milliseconds. */
const LONG_TASK_MS = 50

declare global {
  interface Window {
    longTasks?: number[]
  }
}

export async function measureProcessor(server: Server): Promise<Row[]> {
  return await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    const near = await withTwoBrowsers((one, two) => transfer('one machine', [one, two], server.origin, film))
    const far = await onCable({ roundTrip: 10 }, async ({ browser, one, other, origin }) =>
      transfer('10 ms', [await browser(one), await browser(other)], origin, film),
    )
    return [near, far]
  })
}

async function transfer(
  way: string,
  [one, two]: readonly [OpenBrowser, OpenBrowser],
  origin: string,
  film: TestFile,
): Promise<Row> {
  const ada = new Device('Ada', one.page, origin, DESKTOP_CHROMIUM)
  const bob = new Device('Bob', two.page, origin, DESKTOP_CHROMIUM)
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  await ada.sharesFiles(film)
  await bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()
  const browsers = [await browserProcess(one.profile), await browserProcess(two.profile)] as const
  for (const { page } of [one, two]) await page.evaluate(watchLongTasks)
  const before = [await threadSeconds(browsers[0]), await threadSeconds(browsers[1])] as const
  let seconds = Number.NaN
  let receiver = Number.NaN
  const receives = async () => {
    seconds = await secondsToReceive(bob.page)
  }
  const sends = async () => {
    receiver = (await recordMainThread(two.page, receives)).longestTask
  }
  const sender = (await recordMainThread(one.page, sends)).longestTask
  const after = [await threadSeconds(browsers[0]), await threadSeconds(browsers[1])] as const
  const waited = [await longestTask(one.page), await longestTask(two.page)] as const
  const longest = Math.max(sender, receiver)
  return {
    figure: `longest task while 500 MB go by, ${way}`,
    product: `${longest.toFixed(0)} ms`,
    reference: '-',
    value: longest,
    target: { atMost: LONG_TASK_MS },
    notes: [
      `${(film.size / MB / seconds).toFixed(1)} MB/s, while the main threads are recorded`,
      `sender ${sender.toFixed(0)} ms, with the wait for a core ${waited[0]}; ${usedBetween(before[0], after[0])}`,
      `receiver ${receiver.toFixed(0)} ms, with the wait for a core ${waited[1]}; ${usedBetween(before[1], after[1])}`,
    ],
  }
}

/** Collects the long tasks from now on. Runs in the page. */
function watchLongTasks(): void {
  const tasks: number[] = []
  window.longTasks = tasks
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  }).observe({ type: 'longtask' })
}

/** Milliseconds, of which a part may be the wait for a core; 0 when no task was long. */
async function longestTask(page: Page): Promise<number> {
  return await page.evaluate(() => Math.round(Math.max(0, ...(window.longTasks ?? []))))
}
