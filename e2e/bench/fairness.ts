/**
 * What a transfer leaves to others on a path that both fill: to one flow of TCP, compared with the flow alone, and to a
 * second transfer that begins later.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import type { Machine } from '../support/network.ts'
import { type Lab, onCable, received, sharing, speed } from './lab.ts'
import { median, type Row } from './table.ts'

/** A line of 5 MB/s to a distant place, with a queue of a tenth of a second, as routers have it. */
const LINE = { roundTrip: 50, megabits: 40, queue: 512 }
/** More than goes by while it is measured. */
const SIZE = 600 * MB
const PORT = 9_000
const SECONDS = 15
/** How much of a file has come when its bundle has found its size. */
const UNDER_WAY = 60 * MB
/** The same of the second of two transfers, which has half of the line at best. */
const SECOND_UNDER_WAY = 20 * MB
const RUNS = Number(process.env.RUNS ?? 3)

const FIGURES: Record<string, () => Promise<Row>> = { flow: measureFlow, transfers: measureTransfers }

export async function measureFairness(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, measure] of Object.entries(FIGURES))
    if (!process.env.WAY || process.env.WAY === name) rows.push(await measure())
  return rows
}

async function measureFlow(): Promise<Row> {
  const shares: number[] = []
  const alone: number[] = []
  await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    for (let run = 0; run < RUNS; run += 1) {
      alone.push(await onCable(LINE, flowSpeed))
      shares.push(await onCable(LINE, (lab) => besideTransfer(lab, film)))
      process.stderr.write(
        `flow of TCP, run ${run + 1} of ${RUNS}: beside a transfer ${speed(shares.at(-1))}, alone ${speed(alone.at(-1))}\n`,
      )
    }
  })
  return {
    figure: 'flow of TCP beside a transfer, 50 ms, 5 MB/s',
    product: speed(median(shares)),
    reference: speed(median(alone)),
    value: median(shares) / median(alone),
    target: { atLeast: 0.3 },
  }
}

async function besideTransfer(lab: Lab, film: TestFile): Promise<number> {
  const { bob } = await sharing(lab, film)
  await bob.takes(film)
  await bob.reaches(film, (100 * UNDER_WAY) / SIZE)
  return await flowSpeed(lab)
}

/**
 * Two pairs of people. The target is that of the flow of TCP: a bundle has several connections, each of which takes its
 * share of a full line, and the second has not found its size while the first keeps the line full. Less than 0.3 would mean
 * that whoever comes first keeps others out.
 */
async function measureTransfers(): Promise<Row> {
  const pairs: { slower: number; faster: number }[] = []
  await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    for (let run = 0; run < RUNS; run += 1) {
      const [first, second] = await onCable(LINE, (lab) => besideEachOther(lab, film))
      pairs.push({ slower: Math.min(first, second), faster: Math.max(first, second) })
      process.stderr.write(
        `two transfers, run ${run + 1} of ${RUNS}: first ${speed(first)}, second ${speed(second)}\n`,
      )
    }
  })
  return {
    figure: 'two transfers at once, 50 ms, 5 MB/s',
    product: speed(median(pairs.map(({ slower }) => slower))),
    reference: speed(median(pairs.map(({ faster }) => faster))),
    value: median(pairs.map(({ slower, faster }) => slower / faster)),
    target: { atLeast: 0.3 },
  }
}

/** Bytes a second of the transfer that began first, and of the other. */
async function besideEachOther(lab: Lab, film: TestFile): Promise<readonly [number, number]> {
  const { bob: first } = await sharing(lab, film)
  const { bob: second } = await sharing(lab, film)
  await first.takes(film)
  await first.reaches(film, (100 * UNDER_WAY) / SIZE)
  await second.takes(film)
  await second.reaches(film, (100 * SECOND_UNDER_WAY) / SIZE)
  return await Promise.all([receivingSpeed(first, film), receivingSpeed(second, film)])
}

/** Bytes a second of a file that comes. */
async function receivingSpeed(device: Device, film: TestFile): Promise<number> {
  const before = await received(device, film)
  await device.page.waitForTimeout(1_000 * SECONDS)
  const after = await received(device, film)
  return (1_000 * (after.bytes - before.bytes)) / (after.at - before.at)
}

/** Bytes a second of one flow of TCP from one machine to the other. */
export async function flowSpeed({ one, other }: Lab): Promise<number> {
  const source = program(one, 'source', String(PORT))
  try {
    await once(source.stdout, 'data')
    const sink = program(other, 'sink', one.address, String(PORT), String(SECONDS))
    const [printed] = (await once(sink.stdout, 'data')) as [Buffer]
    return Number(printed)
  } finally {
    source.kill()
  }
}

function program({ enter }: Machine, ...words: string[]) {
  const [command = '', ...args] = [
    ...enter,
    process.execPath,
    fileURLToPath(new URL('tcp-flow.ts', import.meta.url)),
  ]
  return spawn(command, [...args, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
}
