/**
 * What a burst does to loss. A browser reads its socket through a buffer of 64 KiB, and SCTP sends what its window allows
 * at once: the more waits in a channel, the more of it overflows there. The table is of bare channels on a cable; the
 * product's bound is its window (F4), which holds two frames of 64 KiB on such a way.
 */
import { MB } from '../support/files.ts'
import type { Machine } from '../support/network.ts'
import type { Filling } from './bare-channel.ts'
import { bareSpeed, type Lab, onCable, speed } from './lab.ts'
import { median, type Row } from './table.ts'

const KIB = 1024
const ROUND_TRIPS_MS = [10, 50]
const MESSAGES = [16 * KIB, 64 * KIB, 240 * KIB]
const WAITING = [128 * KIB, 512 * KIB, 4096 * KIB]
/** As the product sends: frames of four chunks, and a window of two of them. */
const OURS: Filling = { message: 64 * KIB, high: 128 * KIB, low: 64 * KIB }
/** Bytes for each round trip, about five seconds. */
const BYTES: Record<number, number> = { 10: 30 * MB, 50: 6 * MB }

const RUNS = Number(process.env.RUNS ?? 3)

interface Measured {
  readonly speed: number
  /** Packets that overflowed the buffer of the receiver's socket, of a thousand that came. */
  readonly lost: number
}

export async function measureBurst(): Promise<Row[]> {
  const rows: Row[] = []
  for (const roundTrip of ROUND_TRIPS_MS) rows.push(await measureWay(roundTrip))
  return rows
}

async function measureWay(roundTrip: number): Promise<Row> {
  const fillings = MESSAGES.flatMap((message) =>
    WAITING.filter((high) => high >= message).map((high) => ({ message, high, low: high / 2 })),
  )
  const runs = new Map<Filling, Measured[]>(fillings.map((filling) => [filling, []]))
  // They take turns, because the machine's speed drifts.
  for (let run = 0; run < RUNS; run += 1)
    for (const [filling, measured] of runs)
      measured.push(await onCable({ roundTrip }, (lab) => measureOne(lab, BYTES[roundTrip] ?? MB, filling)))
  const table = [...runs].map(([filling, measured]) => ({
    filling,
    speed: median(measured.map(({ speed }) => speed)),
    lost: median(measured.map(({ lost }) => lost)),
  }))
  const best = Math.max(...table.map(({ speed }) => speed))
  const ours = table.find(({ filling }) => filling.message === OURS.message && filling.high === OURS.high)
  return {
    figure: `two frames waiting, ${roundTrip} ms`,
    product: speed(ours?.speed),
    reference: speed(best),
    value: (ours?.speed ?? 0) / best,
    target: { atLeast: 0.9 },
    notes: table.map(({ filling, ...measured }) => line(filling, measured)),
  }
}

async function measureOne(lab: Lab, bytes: number, filling: Filling): Promise<Measured> {
  const before = await packets(lab.other)
  const speed = await bareSpeed(lab, bytes, filling)
  const after = await packets(lab.other)
  const [came, lost] = [after.came - before.came, after.lost - before.lost]
  return { speed, lost: (1000 * lost) / Math.max(1, came + lost) }
}

/** The counters of a machine's UDP sockets (proc(5), `/proc/net/snmp`). */
async function packets(machine: Machine): Promise<{ came: number; lost: number }> {
  const text = await machine.reads('cat', '/proc/net/snmp')
  const [names, values] = text.split('\n').filter((line) => line.startsWith('Udp:'))
  const at = (name: string) => Number(values?.split(' ')[names?.split(' ').indexOf(name) ?? -1])
  return { came: at('InDatagrams'), lost: at('RcvbufErrors') }
}

function line({ message, high }: Filling, { speed: bytes, lost }: Measured): string {
  const [size, waiting] = [message / KIB, high / KIB]
  return `messages of ${size} KiB, ${waiting} KiB waiting: ${speed(bytes)}, ${lost.toFixed(1)} of 1,000 packets lost`
}
