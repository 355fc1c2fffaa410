/** How much a reload in the middle of a file costs: the bytes that go again, and the time until the next new one. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { ownDiskFilm, picksFromOwnDisk } from '../support/own-disk.ts'
import { directBytesReceived, watchPaths } from '../support/paths.ts'
import type { Server } from '../support/server.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, withTwoBrowsers } from './two-browsers.ts'

const RUNS = Number(process.env.RUNS ?? 3)
/** Bytes of the largest window (F4). */
const WINDOW = 32 * 1024 * 1024
const FILM = ownDiskFilm('film.bin', 300 * MB)

interface Reload {
  /** Bytes that moved beyond those of the file: those that went more than once, and the headers of the frames. */
  readonly twice: number
  /** Milliseconds from the reload to the next new byte, and those of a reload of the empty page. */
  readonly stands: number
  readonly bare: number
}

export async function measureResume(server: Server): Promise<Row[]> {
  const rows: Row[] = []
  for (const side of ['receiver', 'sender'] as const) {
    const runs: Reload[] = []
    for (let run = 0; run < RUNS; run += 1) runs.push(await reloaded(server, side))
    const twice = median(runs.map((run) => run.twice))
    const stands = median(runs.map((run) => run.stands))
    const bare = median(runs.map((run) => run.bare))
    const each = (of: (run: Reload) => string) => [`each run: ${runs.map(of).join(', ')}`]
    rows.push(
      {
        figure: `reload of the ${side} at 50 %: sent twice, windows`,
        product: `${(twice / MB).toFixed(1)} MB`,
        reference: `${(WINDOW / MB).toFixed(1)} MB`,
        value: twice / WINDOW,
        target: { atMost: 1 },
        notes: each((run) => `${(run.twice / MB).toFixed(1)} MB`),
      },
      {
        figure: `reload of the ${side} to the next byte, seconds`,
        product: `${(stands / 1000).toFixed(2)} s`,
        reference: `bare page ${(bare / 1000).toFixed(2)} s`,
        value: stands / 1000,
        target: { atMost: 3 },
        notes: each((run) => `${(run.stands / 1000).toFixed(2)} s`),
      },
    )
  }
  return rows
}

async function reloaded(server: Server, side: 'receiver' | 'sender'): Promise<Reload> {
  return await withTwoBrowsers(async (one, two) => {
    const bare = await reloadTime(one.page, server)
    for (const { page } of [one, two]) await watchPaths(page.context())
    await one.page.addInitScript(picksFromOwnDisk, [FILM.name, FILM.size] as const)
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.page.getByRole('button', { name: 'Share', exact: true }).click()
    await ada.page.getByRole('menuitem', { name: 'Files' }).click()
    await bob.takes(FILM)
    // The page that stays counts: the one that is loaded again begins anew.
    const moved = side === 'receiver' ? counting(ada.page, 'sent') : counting(bob.page, 'received')
    await bob.reaches(FILM, 50)
    const stands = side === 'receiver' ? await receiverStands(bob.page) : await senderStands(ada.page, moved)
    await bob.has(FILM)
    return { twice: (await moved.stop()) - FILM.size, stands, bare }
  })
}

/** Milliseconds from the reload of the receiver to its first byte. */
async function receiverStands(page: Page): Promise<number> {
  const from = performance.now()
  await page.reload({ waitUntil: 'commit' })
  while ((await directBytesReceived(page).catch(() => 0)) === 0) await pause(20)
  return performance.now() - from
}

/** Milliseconds from the return of the sender, which has left its page, to the next byte at the receiver. */
async function senderStands(page: Page, { look }: Count): Promise<number> {
  await page.goto('about:blank')
  const before = await restsAt({ look })
  const from = performance.now()
  await page.goBack({ waitUntil: 'commit' })
  while ((await look()) <= before) await pause(20)
  return performance.now() - from
}

interface Count {
  /** Bytes so far. */
  look(): Promise<number>
  stop(): Promise<number>
}

/** Counts what a page sends or receives. A connection that is closed tells no more, so it is looked at all the time. */
function counting(page: Page, way: 'sent' | 'received'): Count {
  const most: number[] = []
  const look = async () => {
    const now = await page.evaluate((which) => window.heliographPaths?.[which]() ?? [], way)
    for (const [at, bytes] of now.entries()) most[at] = Math.max(most[at] ?? 0, bytes)
    return most.reduce((sum, bytes) => sum + bytes, 0)
  }
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      await look()
      await pause(20)
    }
  })()
  const stop = async () => {
    isOver = true
    await looking
    return await look()
  }
  return { look, stop }
}

/** Returns what was moved once nothing more is. */
async function restsAt({ look }: Pick<Count, 'look'>): Promise<number> {
  for (let before = -1; ; ) {
    const now = await look()
    if (now === before) return now
    before = now
    await pause(200)
  }
}

/** Milliseconds in which the page of the product is loaded again, with nothing in it. */
async function reloadTime(page: Page, { origin }: Server): Promise<number> {
  await page.goto(`${origin}/login`)
  const from = performance.now()
  await page.reload()
  return performance.now() - from
}
