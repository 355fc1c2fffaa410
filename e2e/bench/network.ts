/** Files from browser to browser over a cable with a round trip and loss, beside a bare data channel on the same cable. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cable, type CableTraits } from '../support/cable.ts'
import { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import { type Machine, Network } from '../support/network.ts'
import { Server } from '../support/server.ts'
import { bareChannelSpeed } from './bare-channel.ts'
import { secondsToReceive } from './direct.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM } from './two-browsers.ts'

interface Way {
  readonly traits: CableTraits
  /** Bytes of the file, and of the reference: about 10 s each. */
  readonly size: number
  readonly bare: number
  readonly atLeast: number
}

const WAYS: Record<string, Way> = {
  '10 ms': { traits: { roundTrip: 10 }, size: 150 * MB, bare: 60 * MB, atLeast: 1.7 },
  '50 ms': { traits: { roundTrip: 50 }, size: 60 * MB, bare: 15 * MB, atLeast: 7 },
  '50 ms, 0.5 % lost': { traits: { roundTrip: 50, loss: 0.5 }, size: 25 * MB, bare: 4 * MB, atLeast: 12 },
  '50 ms, 5 MB/s': {
    traits: { roundTrip: 50, megabits: 40, queue: 512 },
    size: 60 * MB,
    bare: 15 * MB,
    atLeast: 2,
  },
  '150 ms': { traits: { roundTrip: 150 }, size: 40 * MB, bare: 5 * MB, atLeast: 10 },
}

const RUNS = Number(process.env.RUNS ?? 3)

export async function measureNetwork(): Promise<Row[]> {
  const rows: Row[] = []
  const asked = process.env.WAY
  for (const [name, way] of Object.entries(WAYS))
    if (!asked || asked === name) rows.push(await measureWay(name, way))
  return rows
}

async function measureWay(name: string, way: Way): Promise<Row> {
  const ours: number[] = []
  const bare: number[] = []
  await Folder.with(async (folder) => {
    const file = await folder.file('film.bin', way.size)
    for (let run = 0; run < RUNS; run += 1) {
      ours.push(await onCable(way.traits, (lab) => productSpeed(lab, file)))
      bare.push(await onCable(way.traits, (lab) => bareSpeed(lab, way.bare)))
      process.stderr.write(
        `${name}, run ${run + 1} of ${RUNS}: ${speed(ours.at(-1))}, bare ${speed(bare.at(-1))}\n`,
      )
    }
  })
  return {
    figure: `direct transfer, ${name}`,
    product: speed(median(ours)),
    reference: speed(median(bare)),
    value: median(ours) / median(bare),
    target: { atLeast: way.atLeast },
  }
}

function speed(bytesPerSecond = 0): string {
  return `${(bytesPerSecond / MB).toFixed(1)} MB/s`
}

/** Two machines at the ends of a cable; the server is at the first, so the second reaches it over the cable too. */
export interface Lab {
  readonly network: Network
  readonly one: Machine
  readonly other: Machine
  readonly server: Server
}

export async function onCable<T>(traits: CableTraits, use: (lab: Lab) => Promise<T>): Promise<T> {
  const network = await Network.make()
  try {
    const [one, other] = [await network.empty('10.78.0.1'), await network.empty('10.78.0.2')]
    const cable = await Cable.between(one, other, traits)
    const place = { listen: '0.0.0.0', host: one.address, port: 8080, enter: one.enter }
    const server = await Server.start({ HELIOGRAPH_TLS: 'self-signed', HELIOGRAPH_TURN: 'off' }, place)
    try {
      return await use({ network, one, other, server })
    } finally {
      await server.stop()
      await cable.remove()
    }
  } finally {
    await network.remove()
  }
}

async function productSpeed({ network, one, other, server }: Lab, file: TestFile): Promise<number> {
  const origin = `https://${one.address}:8443`
  const profiles = [await profile(), await profile()] as const
  try {
    const ada = new Device('Ada', await network.page(one, profiles[0]), origin, DESKTOP_CHROMIUM)
    const bob = new Device('Bob', await network.page(other, profiles[1]), origin, DESKTOP_CHROMIUM)
    await bob.opens(await ada.startsBeam())
    await ada.seesDevices(2)
    await ada.sharesFiles(file)
    await bob.card(file.name).getByRole('button', { name: 'Receive' }).waitFor()
    const seconds = await secondsToReceive(bob.page)
    if ((await bob.savedSha256(file)) !== file.sha256) throw new Error('the file arrived changed')
    return file.size / seconds
  } finally {
    void server
    for (const folder of profiles)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}

async function bareSpeed({ network, one, other }: Lab, bytes: number): Promise<number> {
  const [from, to] = [await network.page(one, await profile()), await network.page(other, await profile())]
  for (const page of [from, to]) await page.goto(`http://${one.address}:8080/healthz`)
  return await bareChannelSpeed(from, to, bytes)
}

export async function profile(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'heliograph-bench-'))
}
