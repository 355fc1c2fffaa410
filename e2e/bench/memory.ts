/** Peak memory of a receiving browser, for a file larger than a page may hold. */
import { setTimeout as pause } from 'node:timers/promises'
import { Device } from '../support/device.ts'
import { Folder, MB } from '../support/files.ts'
import type { Server } from '../support/server.ts'
import { browserProcess, treeBytes, watchPeak } from './process-memory.ts'
import type { Row } from './table.ts'
import { DESKTOP_CHROMIUM, withTwoBrowsers } from './two-browsers.ts'

const SIZE = 2000 * MB
const ARRIVES_WITHIN_MS = 10 * 60_000
/** Milliseconds after which the memory of an idle page no longer changes. */
const SETTLES_MS = 5000

export async function measureMemory(server: Server): Promise<Row> {
  const growth = await Folder.with((folder) => growthWhileReceiving(server, folder))
  return {
    figure: "receiver's memory over idle, 2 GB",
    product: `+${(growth / MB).toFixed(0)} MB`,
    reference: '',
    value: growth / MB,
    target: { atMost: 150 },
  }
}

async function growthWhileReceiving(server: Server, folder: Folder): Promise<number> {
  const film = await folder.file('film.bin', SIZE)
  return await withTwoBrowsers(async (one, two) => {
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.sharesFiles(film)
    await bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()
    await pause(SETTLES_MS)

    const browser = await browserProcess(two.profile)
    const idle = await treeBytes(browser)
    const peak = watchPeak(browser)
    await bob.takes(film)
    await bob.has(film, ARRIVES_WITHIN_MS)
    return (await peak.stop()) - idle
  })
}
