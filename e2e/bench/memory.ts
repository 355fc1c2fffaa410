/** Peak memory of both browsers and the server, for a file larger than a page may hold. */
import { setTimeout as pause } from 'node:timers/promises'
import { Device } from '../support/device.ts'
import { Folder, MB } from '../support/files.ts'
import type { Server } from '../support/server.ts'
import { browserProcess, treeBytes, watchPeak } from './process-memory.ts'
import type { Row } from './table.ts'
import { DESKTOP_CHROMIUM, withTwoBrowsers } from './two-browsers.ts'

const SIZE = 5000 * MB
const ARRIVES_WITHIN_MS = 20 * 60_000
/** Milliseconds after which the memory of an idle page no longer changes. */
const SETTLES_MS = 5000

export async function measureMemory(server: Server): Promise<Row[]> {
  const [sender, receiver, idle] = await Folder.with((folder) => growths(server, folder))
  return [rowOf('receiver', receiver, 150), rowOf('sender', sender, 150), rowOf('server', idle, 10)]
}

/** @param atMost in megabytes */
function rowOf(who: string, growth: number, atMost: number): Row {
  return {
    figure: `${who}'s memory over idle, ${SIZE / 1000 / MB} GB`,
    product: `+${(growth / MB).toFixed(0)} MB`,
    reference: '',
    value: growth / MB,
    target: { atMost },
  }
}

/** How many bytes the sender's browser, the receiver's and the server take at most beyond what they took before. */
async function growths(server: Server, folder: Folder): Promise<readonly [number, number, number]> {
  const film = await folder.file('film.bin', SIZE)
  return await withTwoBrowsers(async (one, two) => {
    const ada = new Device('Ada', one.page, server.origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', two.page, server.origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.sharesFiles(film)
    await bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()
    await pause(SETTLES_MS)

    const browsers = [await browserProcess(one.profile), await browserProcess(two.profile)] as const
    const [sender, receiver, idle] = [
      await growthOf(browsers[0]),
      await growthOf(browsers[1]),
      await growthOf(server.pid),
    ]
    await bob.takes(film)
    await bob.has(film, ARRIVES_WITHIN_MS)
    return [await sender.stop(), await receiver.stop(), await idle.stop()]
  })
}

/** Watches how much more than now a process and its descendants take, until it is stopped. */
async function growthOf(process: number): Promise<{ stop: () => Promise<number> }> {
  const idle = await treeBytes(process)
  const peak = watchPeak(process)
  return { stop: async () => (await peak.stop()) - idle }
}
