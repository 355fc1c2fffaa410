/**
 * A file that goes to four devices from one whose uplink is the narrow place, beside the same to one device: they give each
 * other what they have (F20), so that the uplink is spent about once.
 */
import type { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import type { Machine } from '../support/network.ts'
import { type Lab, onCable, person } from './lab.ts'
import { median, type Row } from './table.ts'

/** A line of a household: 20 Mbit/s, with a queue of a tenth of a second. */
const LINE = { roundTrip: 20, megabits: 20, queue: 256 }
const SIZE = 60 * MB
const RUNS = Number(process.env.RUNS ?? 3)

interface Run {
  /** Milliseconds until the last of them had the file. */
  readonly took: number
  /** Bytes that left the machine of the device that shared it, with all headers, as a part of the file. */
  readonly spent: number
}

export async function measureSwarm(): Promise<Row> {
  const alone: Run[] = []
  const four: Run[] = []
  await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    for (let run = 0; run < RUNS; run += 1) {
      alone.push(await onCable(LINE, (lab) => received(lab, film, 1)))
      four.push(await onCable(LINE, (lab) => received(lab, film, 4)))
    }
  })
  const [one, all] = [median(alone.map(({ took }) => took)), median(four.map(({ took }) => took))]
  const each = ({ took, spent }: Run) =>
    `${(took / 1000).toFixed(1)} s (${spent.toFixed(2)} of the file sent)`
  return {
    figure: 'one file to four, uplink of 20 Mbit/s',
    product: `${(all / 1000).toFixed(1)} s`,
    reference: `to one ${(one / 1000).toFixed(1)} s`,
    value: all / one,
    target: { atMost: 1.5 },
    notes: [
      `each run, to one: ${alone.map(each).join(', ')}`,
      `each run, to four: ${four.map(each).join(', ')}`,
    ],
  }
}

async function received(lab: Lab, film: TestFile, count: number): Promise<Run> {
  const ada = await person(lab, 'Ada', lab.one)
  const link = await ada.startsBeam()
  const others: Device[] = []
  for (let at = 0; at < count; at += 1) {
    const other = await person(lab, `Bob ${at + 1}`, lab.other)
    others.push(other)
    await other.opens(link)
  }
  await ada.seesDevices(count + 1)
  await ada.sharesFiles(film)
  await Promise.all(
    others.map((bob) => bob.card(film.name).getByRole('button', { name: 'Receive' }).waitFor()),
  )
  const before = await sentBy(lab.one)
  const began = performance.now()
  await Promise.all(others.map((bob) => bob.takes(film)))
  await Promise.all(others.map((bob) => bob.has(film)))
  const took = performance.now() - began
  return { took, spent: ((await sentBy(lab.one)) - before) / SIZE }
}

/** Bytes that a machine has sent to others. */
async function sentBy(machine: Machine): Promise<number> {
  const links = JSON.parse(await machine.reads('ip', '-json', '-statistics', 'link')) as readonly {
    readonly ifname: string
    readonly stats64: { readonly tx: { readonly bytes: number } }
  }[]
  return links.reduce((sum, { ifname, stats64 }) => sum + (ifname === 'lo' ? 0 : stats64.tx.bytes), 0)
}
