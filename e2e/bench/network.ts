/** Files from browser to browser over a cable with a round trip and loss, beside a bare data channel on the same cable. */
import type { CableTraits } from '../support/cable.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import { secondsToReceive } from './direct.ts'
import { bareSpeed, type Lab, onCable, sharing, speed } from './lab.ts'
import { median, type Row } from './table.ts'

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

/** Bytes a second of a file from the choice to receive it until it is there. */
export async function productSpeed(lab: Lab, file: TestFile): Promise<number> {
  const { bob } = await sharing(lab, file)
  const seconds = await secondsToReceive(bob.page)
  if ((await bob.savedSha256(file)) !== file.sha256) throw new Error('the file arrived changed')
  return file.size / seconds
}
