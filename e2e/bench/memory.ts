/** Peak memory of both browsers, for a file larger than a page may hold. */
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

export async function measureMemory(server: Server): Promise<Row[]> {
  const [sender, receiver] = await Folder.with((folder) => growthOfBoth(server, folder))
  return [rowOf('receiver', receiver), rowOf('sender', sender)]
}

function rowOf(who: string, growth: number): Row {
  return {
    figure: `${who}'s memory over idle, 2 GB`,
    product: `+${(growth / MB).toFixed(0)} MB`,
    reference: '',
    value: growth / MB,
    target: { atMost: 150 },
  }
}

/** How many bytes the sender's browser and the receiver's take at most beyond what they took before. */
async function growthOfBoth(server: Server, folder: Folder): Promise<readonly [number, number]> {
  const film = await folder.file('film.bin', SIZE)
  return await withTwoBrowsers(async (one, two) => {
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.sharesFiles(film)
    await bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()
    await pause(SETTLES_MS)

    const growths = [await growthOf(one.profile), await growthOf(two.profile)] as const
    await bob.takes(film)
    await bob.has(film, ARRIVES_WITHIN_MS)
    return [await growths[0].stop(), await growths[1].stop()]
  })
}

/** Watches how much more than now a browser takes, until it is stopped. */
async function growthOf(profile: string): Promise<{ stop: () => Promise<number> }> {
  const browser = await browserProcess(profile)
  const idle = await treeBytes(browser)
  const peak = watchPeak(browser)
  return { stop: async () => (await peak.stop()) - idle }
}
