/** What a transfer leaves to others on a path that both fill: one flow of TCP, alone and beside a transfer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Folder, MB, type TestFile } from '../support/files.ts'
import type { Machine } from '../support/network.ts'
import { type Lab, onCable, sharing, speed } from './lab.ts'
import { median, type Row } from './table.ts'

/** A line of 5 MB/s to a distant place, with a queue of a tenth of a second, as routers have it. */
const LINE = { roundTrip: 50, megabits: 40, queue: 512 }
/** More than goes by while it is measured. */
const SIZE = 600 * MB
const PORT = 9_000
const SECONDS = 15
/** How much of a file has come when its bundle has found its size. */
const UNDER_WAY = 60 * MB
const RUNS = Number(process.env.RUNS ?? 3)

export async function measureFairness(): Promise<Row> {
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
