/**
 * What a large file costs the processor at both ends, on one machine and over a cable of 10 ms: the longest task of the
 * pages' main threads, and the time of each thread.
 */
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import type { Server } from '../support/server.ts'
import { secondsToReceive } from './direct.ts'
import { onCable } from './lab.ts'
import { browserProcess } from './process-memory.ts'
import { threadSeconds, usedBetween } from './process-threads.ts'
import type { Row } from './table.ts'
import { DESKTOP_CHROMIUM, type OpenBrowser, withTwoBrowsers } from './two-browsers.ts'

const SIZE = 500 * MB
/** Tasks below this are not reported by the browser (Long Tasks API, section 2.1), in milliseconds. */
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
  const seconds = await secondsToReceive(bob.page)
  const after = [await threadSeconds(browsers[0]), await threadSeconds(browsers[1])] as const
  const longest = [await longestTask(one.page), await longestTask(two.page)] as const
  return {
    figure: `longest task while 500 MB go by, ${way}`,
    product: `${Math.max(...longest)} ms`,
    reference: '-',
    value: Math.max(...longest),
    target: { atMost: LONG_TASK_MS },
    notes: [
      `${(film.size / MB / seconds).toFixed(1)} MB/s; a task of up to ${LONG_TASK_MS} ms counts as 0`,
      `sender, longest ${longest[0]} ms; ${usedBetween(before[0], after[0])}`,
      `receiver, longest ${longest[1]} ms; ${usedBetween(before[1], after[1])}`,
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

/** Milliseconds; 0 when no task was long. */
async function longestTask(page: Page): Promise<number> {
  return await page.evaluate(() => Math.round(Math.max(0, ...(window.longTasks ?? []))))
}
