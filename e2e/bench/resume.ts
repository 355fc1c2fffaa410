/** How much a reload in the middle of a file costs: the bytes that go again, and the time until the next new one. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import { MB } from '../support/files.ts'
import { ownDiskFilm, picksFromOwnDisk } from '../support/own-disk.ts'
import { directBytes, directBytesReceived, watchPaths } from '../support/paths.ts'
import type { Server } from '../support/server.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, withTwoBrowsers } from './two-browsers.ts'

const RUNS = Number(process.env.RUNS ?? 3)
/** Bytes of the largest window (F4). */
const WINDOW = 32 * 1024 * 1024
const FILM = ownDiskFilm('film.bin', 300 * MB)

interface Reload {
  /** Bytes that went more than once. */
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
    await bob.reaches(FILM, 50)

    const { page } = side === 'receiver' ? bob : ada
    const before = side === 'receiver' ? 0 : await quiet(bob.page, () => page.goto('about:blank'))
    const from = performance.now()
    if (side === 'receiver') await page.reload({ waitUntil: 'commit' })
    else await page.goBack({ waitUntil: 'commit' })
    while ((await directBytesReceived(bob.page).catch(() => 0)) <= before) await pause(20)
    const stands = performance.now() - from
    await bob.has(FILM)
    const moved = side === 'receiver' ? directBytes(ada.page) : directBytesReceived(bob.page)
    return { twice: Math.max(0, (await moved) - FILM.size), stands, bare }
  })
}

/** Leaves a page, and returns what the other has received once nothing more comes. */
async function quiet(receiver: Page, leave: () => Promise<unknown>): Promise<number> {
  await leave()
  for (let before = -1; ; ) {
    const now = await directBytesReceived(receiver)
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
