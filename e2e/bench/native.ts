/**
 * The native device: with Chromium, beside a bare channel between the same two; with another one, beside `scp` and bare
 * TCP; what it costs; and how soon it has something of a link, beside a browser.
 */
import { execFile } from 'node:child_process'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import { NativeWire } from '../support/native-wire.ts'
import type { Server } from '../support/server.ts'
import { type Cost, copyByScp, copyByTcp, type Source, watchCost, withSsh } from './copies.ts'
import { secondsToReceive } from './direct.ts'
import { withFreshBrowser, withFreshPage } from './fresh-pages.ts'
import { ITEM, untilFirstItem } from './joining.ts'
import { onCable } from './lab.ts'
import { NativeProgram, type Surroundings } from './native-program.ts'
import { printSpeeds, speed, speeds } from './speeds.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, withBrowser } from './two-browsers.ts'

const SIZE = Number(process.env.SIZE ?? 500) * MB
const FAR_SIZE = Number(process.env.FAR_SIZE ?? 100) * MB
const LARGE = Number(process.env.LARGE ?? 5_000) * MB
const RUNS = Number(process.env.RUNS ?? 3)
const STARTS = 10
const HERE: Source = { address: '127.0.0.1', enter: [] }

/** With Chromium, on one machine. */
export async function measureNativeBrowser(server: Server): Promise<Row[]> {
  return await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    const to = { ours: [] as number[], bare: [] as number[] }
    const from = { ours: [] as number[], bare: [] as number[] }
    for (let run = 0; run < RUNS; run += 1) {
      to.ours.push(await toChromium(server, film))
      to.bare.push(await bare('to the page'))
      printSpeeds(`native to Chromium, run ${run + 1}`, to.ours.at(-1), to.bare.at(-1))
      from.ours.push(await fromChromium(server, film, folder))
      from.bare.push(await bare('from the page'))
      printSpeeds(`Chromium to native, run ${run + 1}`, from.ours.at(-1), from.bare.at(-1))
    }
    return [
      speeds('native to Chromium, onto the disk, bare channel', to.ours, to.bare, 0.9),
      speeds('Chromium to native, onto the disk, bare channel', from.ours, from.bare, 0.9),
    ]
  })
}

/** With another native device, on one machine and over a cable. */
export async function measureNativePair(server: Server): Promise<Row[]> {
  return await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    const near = await withSsh(folder, HERE, () => beside(folder, film, HERE, [], { origin: server.origin }))
    const rows = againstCopies('native to native, loopback', near, film)
    for (const roundTrip of [10, 50]) {
      const short = await folder.file(`short-${roundTrip}.bin`, FAR_SIZE)
      const far = await Folder.with((keys) =>
        onCable({ roundTrip, loss: 0.5 }, async ({ one, other, origin, certificate }) => {
          const source = { address: one.address, enter: one.enter }
          const env = { SSL_CERT_FILE: certificate }
          return await withSsh(keys, source, () => beside(keys, short, source, other.enter, { origin, env }))
        }),
      )
      rows.push(...againstCopies(`native to native, ${roundTrip} ms, 0.5 % loss`, far, short))
    }
    return rows
  })
}

/** What a file of 5 GB costs, beside one of 500 MB and beside `scp`. */
export async function measureNativeCost(server: Server): Promise<Row[]> {
  return await Folder.with(async (folder) => {
    const [film, large] = [await folder.file('film.bin', SIZE), await folder.file('large.bin', LARGE)]
    const place = { origin: server.origin }
    const short = await pair(folder, film, [], place, [])
    const long = await pair(folder, large, [], place, [])
    const scp = await withSsh(folder, HERE, () =>
      toFolder(folder, (to) => copyByScp(folder, HERE, large, [], to)),
    )
    const perGb = (cost: Cost) => `${((cost.processor / LARGE) * 1_000 * MB).toFixed(1)} s`
    return [
      {
        figure: `memory of a receiver, ${LARGE / MB} MB beside ${SIZE / MB} MB`,
        product: megabytes(long.memory),
        reference: megabytes(short.memory),
        value: long.memory / short.memory,
        target: { atMost: 1.25 },
        notes: [
          `a GB takes ${perGb(long)} of the receiver's processor; of the receiving end of scp ${perGb(scp)} and ${megabytes(scp.memory)}`,
        ],
      },
    ]
  })
}

/** From a link to what is there: the program from its start, a browser that is open already. */
export async function measureNativeStart(server: Server): Promise<Row> {
  const words = ['copy', '--server', server.origin, '--text', ITEM]
  return await NativeProgram.with(words, {}, async (copy) => {
    const link = await copy.link()
    return await NativeProgram.with(['join', '--stay'], { env: { HELIOGRAPH_LINK: link } }, async () =>
      withFreshBrowser(async (browser) => {
        const [ours, theirs] = [[] as number[], [] as number[]]
        for (let run = 0; run < STARTS; run += 1) {
          ours.push(await untilText(link))
          theirs.push(await withFreshPage(browser, (page) => untilFirstItem(page, link)))
        }
        return {
          figure: 'a link, to the first item: terminal beside browser',
          product: `${median(ours).toFixed(0)} ms`,
          reference: `${median(theirs).toFixed(0)} ms`,
          value: median(ours) / median(theirs),
          target: { atMost: 1.5 },
        }
      }),
    )
  })
}

async function untilText(link: string): Promise<number> {
  const began = performance.now()
  return await NativeProgram.with(['paste'], { env: { HELIOGRAPH_LINK: link } }, async (paste) => {
    await paste.tells(({ event }) => event === 'text')
    return performance.now() - began
  })
}

async function toChromium(server: Server, film: TestFile): Promise<number> {
  return await withBrowser(async ({ page }) =>
    NativeProgram.with(['send', film.path, '--server', server.origin], {}, async (send) => {
      const bob = new Device('Bob', page, server.origin, DESKTOP_CHROMIUM)
      await bob.opens(await send.link())
      await bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()
      const seconds = await secondsToReceive(page)
      if ((await bob.savedSha256(film)) !== film.sha256) throw new Error('the file arrived changed')
      return film.size / seconds
    }),
  )
}

async function fromChromium(server: Server, film: TestFile, folder: Folder): Promise<number> {
  return await withBrowser(async ({ page }) => {
    const ada = new Device('Ada', page, server.origin, DESKTOP_CHROMIUM)
    const link = await ada.startsBeam()
    await ada.sharesFiles(film)
    const env = { HELIOGRAPH_LINK: link }
    return await toFolder(folder, (into) =>
      NativeProgram.with(['receive', '--into', into], { env }, async (receive) => {
        await receive.tells(({ event }) => event === 'receiving')
        const began = performance.now()
        await receive.received()
        const seconds = (performance.now() - began) / 1_000
        await isWhole(join(into, film.name), film)
        return film.size / seconds
      }),
    )
  })
}

/** Bytes a second of a bare channel between Chromium and the library of the native device. */
async function bare(direction: 'to the page' | 'from the page'): Promise<number> {
  return await withBrowser(async ({ page }) => {
    const wire = await NativeWire.open(page, { program: 'release', pageInitiates: true, isSink: true })
    try {
      return await (direction === 'to the page' ? wire.floodsPage(SIZE) : wire.floodsNative(SIZE))
    } finally {
      await wire.end()
    }
  })
}

interface Beside {
  readonly ours: Cost[]
  readonly scp: Cost[]
  readonly tcp: Cost[]
}

interface At extends Surroundings {
  readonly origin: string
}

async function beside(
  folder: Folder,
  film: TestFile,
  from: Source,
  enter: readonly string[],
  at: At,
): Promise<Beside> {
  const costs: Beside = { ours: [], scp: [], tcp: [] }
  for (let run = 0; run < RUNS; run += 1) {
    costs.ours.push(await pair(folder, film, from.enter, at, enter))
    costs.scp.push(await toFolder(folder, (to) => copyByScp(folder, from, film, enter, to)))
    costs.tcp.push(await toFolder(folder, (to) => copyByTcp(from, film, enter, join(to, film.name))))
    const [ours, scp, tcp] = [costs.ours, costs.scp, costs.tcp].map(
      (all) => film.size / (all.at(-1)?.seconds ?? 0),
    )
    printSpeeds(`native pair, run ${run + 1}, scp ${speed(scp ?? 0)}`, ours, tcp)
  }
  return costs
}

/** A native device that sends to another one: from the start of the receiving program to its file. */
async function pair(
  folder: Folder,
  film: TestFile,
  sender: readonly string[],
  { origin, env = {} }: At,
  receiver: readonly string[],
): Promise<Cost> {
  const loopback = sender.length === 0 ? ['--address', '127.0.0.1'] : []
  const words = ['send', film.path, '--server', origin, ...loopback]
  return await NativeProgram.with(words, { enter: sender, env }, async (send) => {
    const link = await send.link()
    return await toFolder(folder, async (into) => {
      const began = performance.now()
      const around = { enter: receiver, env: { ...env, HELIOGRAPH_LINK: link } }
      return await NativeProgram.with(
        ['receive', '--stay', '--into', into, ...loopback],
        around,
        async (receive) => {
          const watch = watchCost(receive.pid)
          await receive.received()
          const seconds = (performance.now() - began) / 1_000
          const used = await watch.stop()
          await isWhole(join(into, film.name), film)
          if (receive.way !== 'direct') throw new Error(`the file went ${receive.way}`)
          return { seconds, ...used }
        },
      )
    })
  })
}

async function toFolder<T>(folder: Folder, use: (into: string) => Promise<T>): Promise<T> {
  const into = join(folder.path, 'into')
  await mkdir(into)
  try {
    return await use(into)
  } finally {
    await rm(into, { recursive: true })
  }
}

/** The product has compared the hash of what it received already; this compares what is on the disk. */
async function isWhole(path: string, film: TestFile): Promise<void> {
  const { stdout } = await promisify(execFile)('sha256sum', [path])
  if ((await stat(path)).size !== film.size || !stdout.startsWith(film.sha256))
    throw new Error('the file arrived changed')
}

function againstCopies(figure: string, { ours, scp, tcp }: Beside, film: TestFile): Row[] {
  const speedsOf = (costs: readonly Cost[]) => costs.map(({ seconds }) => film.size / seconds)
  const processor = (costs: readonly Cost[]) =>
    `${((median(costs.map((cost) => cost.processor)) / film.size) * 1_000 * MB).toFixed(1)} s`
  return [
    {
      ...speeds(`${figure}, scp`, speedsOf(ours), speedsOf(scp), 1),
      notes: [`a GB takes ${processor(ours)} of the receiver's processor, by scp ${processor(scp)}`],
    },
    speeds(`${figure}, TCP`, speedsOf(ours), speedsOf(tcp), 0.8),
  ]
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`
}
