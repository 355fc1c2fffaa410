/**
 * A path that changes in the middle of a file: how long until the transfer has 0.8 of what one that begins on the changed
 * path reaches.
 */
import type { CableTraits } from '../support/cable.ts'
import type { Device } from '../support/device.ts'
import { Folder, MB, type TestFile } from '../support/files.ts'
import type { Machine } from '../support/network.ts'
import { type Lab, onCable, received, sharing, speed } from './lab.ts'
import type { Row } from './table.ts'

interface Change {
  readonly from: CableTraits
  readonly to: CableTraits
  /** What else happens to the machines. */
  readonly also?: (lab: Lab) => Promise<void>
}

const CHANGES: Record<string, Change> = {
  '10 → 50 ms': { from: { roundTrip: 10 }, to: { roundTrip: 50 } },
  '20 → 2 MB/s': { from: { roundTrip: 20, megabits: 160 }, to: { roundTrip: 20, megabits: 16 } },
  'a third of the connections die': {
    from: { roundTrip: 50 },
    to: { roundTrip: 50 },
    also: ({ one }) => cutsEveryThird(one),
  },
}
/** More than goes by while it is measured. */
const SIZE = 1_000 * MB
/** How much has come when the path changes, and when the speed of a fresh start is taken. */
const SETTLED = 60 * MB
const SETTLED_SLOW = 15 * MB
/** The speed is that of so many milliseconds: a queue that empties, or fills, says nothing. */
const SPAN_MS = 3_000
const LOOK_EVERY_MS = 100
const PATIENCE_MS = 40_000
/** A path has recovered at this part of a fresh start's speed. */
const RECOVERED = 0.8

export async function measureChange(): Promise<Row[]> {
  return await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    const rows: Row[] = []
    for (const [name, change] of Object.entries(CHANGES))
      if (!process.env.WAY || process.env.WAY === name) rows.push(await measureOne(name, change, film))
    return rows
  })
}

async function measureOne(name: string, { from, to, also }: Change, film: TestFile): Promise<Row> {
  const settled = to.megabits ? SETTLED_SLOW : SETTLED
  const fresh = await onCable(to, async (lab) => {
    const bob = await receives(lab, film)
    await bob.reaches(film, (100 * settled) / SIZE)
    return await averageSpeed(bob, film, 2 * SPAN_MS)
  })
  const seconds = await onCable(from, async (lab) => {
    const bob = await receives(lab, film)
    await bob.reaches(film, (100 * SETTLED) / SIZE)
    lab.cable.changesTo(to)
    await also?.(lab)
    return await secondsUntil(bob, film, RECOVERED * fresh)
  })
  return {
    figure: `recovered, ${name}`,
    product: `${seconds.toFixed(1)} s`,
    reference: speed(fresh),
    value: seconds,
    target: { atMost: 3 },
  }
}

async function receives(lab: Lab, film: TestFile): Promise<Device> {
  const { bob } = await sharing(lab, film)
  await bob.takes(film)
  return bob
}

async function averageSpeed(bob: Device, film: TestFile, milliseconds: number): Promise<number> {
  const before = await received(bob, film)
  await bob.page.waitForTimeout(milliseconds)
  const after = await received(bob, film)
  return (1_000 * (after.bytes - before.bytes)) / (after.at - before.at)
}

/** Returns how long it took until three seconds began in which the file came as fast as this. */
async function secondsUntil(bob: Device, film: TestFile, atLeast: number): Promise<number> {
  const looks = [await received(bob, film)]
  const began = looks[0]?.at ?? 0
  while (performance.now() - began < PATIENCE_MS) {
    await bob.page.waitForTimeout(LOOK_EVERY_MS)
    const look = await received(bob, film)
    looks.push(look)
    const first = looks.findLast(({ at }) => look.at - at >= SPAN_MS)
    if (!first) continue
    if ((1_000 * (look.bytes - first.bytes)) / (look.at - first.at) >= atLeast)
      return (first.at - began) / 1_000
  }
  return Number.POSITIVE_INFINITY
}

/** Drops what goes to and comes from every third UDP port of a machine, as a router that forgets some of its mappings. */
async function cutsEveryThird(machine: Machine): Promise<void> {
  const text = await machine.reads('cat', '/proc/net/udp')
  const local = text.split('\n').flatMap((line) => /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) /.exec(line)?.[1] ?? [])
  const ports = local.map((port) => Number.parseInt(port, 16)).filter((port) => port > 10_000)
  const third = ports.filter((_, at) => at % 3 === 0)
  if (third.length === 0) throw new Error('no connection has a port')
  const list = third.join(', ')
  await machine.filters(`
    add table ip cut
    add chain ip cut arriving { type filter hook input priority filter; }
    add chain ip cut leaving { type filter hook output priority filter; }
    add rule ip cut arriving udp dport { ${list} } drop
    add rule ip cut leaving udp sport { ${list} } drop`)
}
