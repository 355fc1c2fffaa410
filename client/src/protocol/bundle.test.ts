import { describe, expect, it } from 'vitest'
import { Bundle, MOST_CONNECTIONS, mostConnections } from './bundle'
import type { Power } from './power'

const KIB = 1024
const MIB = 1024 * KIB
const TICK_MS = 250

/** A way on which some connections carry some rate, in bytes a millisecond. */
interface Way {
  readonly roundTrip: number
  readonly rate: (connections: number) => number
  /** Milliseconds that a packet waits; 0 without it. */
  readonly queuing?: (connections: number) => number
}

/** Browsers read each connection through a buffer of 64 KiB, up to what both can handle. */
const held = (roundTrip: number, most = 15 * MIB): Way => ({
  roundTrip,
  rate: (connections) => Math.min((connections * 64 * KIB) / roundTrip, most / 1_000),
})

class Run {
  readonly bundle: Bundle
  readonly sizes: number[] = []
  /** When each of the sizes began. */
  readonly since: number[] = []
  now = 0
  /** How many connections the device lets a bundle have. */
  most = MOST_CONNECTIONS
  /** Whether the relay carries the most. */
  isBeside = false
  isRelayTrying = false

  constructor(bundle = new Bundle()) {
    this.bundle = bundle
  }

  /** Lets a file of some bytes come in. Connections that are asked for open after four round trips. */
  receives(bytes: number, way: Way, opens = (wanted: number) => wanted): this {
    let open = 1
    let at = this.now
    for (let left = bytes; left > 0; ) {
      const size = this.bundle.next(
        {
          left,
          rate: way.rate(Math.min(open, this.bundle.size)),
          roundTrip: way.roundTrip,
          queuing: way.queuing?.(Math.min(open, this.bundle.size)) ?? 0,
          open,
          most: this.most,
          isBeside: this.isBeside,
          isRelayTrying: this.isRelayTrying,
        },
        this.now,
      )
      if (this.sizes.at(-1) !== size) {
        this.sizes.push(size)
        this.since.push(this.now)
      }
      if (opens(size) === open) at = this.now
      else if (this.now - at >= 4 * way.roundTrip) open = opens(size)
      left -= way.rate(Math.min(open, size)) * TICK_MS
      this.now += TICK_MS
    }
    return this
  }

  idles(milliseconds: number): this {
    for (const end = this.now + milliseconds; this.now < end; this.now += TICK_MS) {
      const { size: open } = this.bundle
      this.bundle.next(
        {
          left: 0,
          rate: 0,
          roundTrip: null,
          queuing: 0,
          open,
          most: this.most,
          isBeside: false,
          isRelayTrying: false,
        },
        this.now,
      )
    }
    return this
  }
}

describe('l6 a bundle of a device with little to spend', () => {
  const sparing = 4

  it('has no more connections than the device allows', () => {
    const run = new Run()
    run.most = sparing
    expect(run.receives(100 * MIB, held(50)).sizes).toEqual([1, sparing])
  })

  it('shrinks when the charger is unplugged, and grows when it is plugged in', () => {
    const run = new Run().receives(40 * MIB, held(50))
    expect(run.bundle.size).toBe(MOST_CONNECTIONS)
    run.most = sparing
    expect(run.receives(20 * MIB, held(50)).bundle.size).toBe(sparing)
    run.most = MOST_CONNECTIONS
    expect(run.receives(100 * MIB, held(50)).bundle.size).toBe(MOST_CONNECTIONS)
  })

  it('begins the next file with no more than that either', () => {
    const run = new Run().receives(40 * MIB, held(50)).idles(20_000)
    run.most = sparing
    expect(Math.max(...run.receives(100 * MIB, held(50)).sizes.slice(-1))).toBe(sparing)
  })

  const laptop: Power = { savesData: false, isCharging: null, isTouched: false }
  it.each<[string, Power, number]>([
    ['a laptop', laptop, MOST_CONNECTIONS],
    ['a laptop on its battery', { ...laptop, isCharging: false }, MOST_CONNECTIONS],
    ['a laptop that saves data', { ...laptop, savesData: true }, sparing],
    ['a phone on its battery', { ...laptop, isTouched: true, isCharging: false }, sparing],
    ['a phone that does not say', { ...laptop, isTouched: true }, sparing],
    ['a phone at the charger', { ...laptop, isTouched: true, isCharging: true }, MOST_CONNECTIONS],
    [
      'a phone at the charger that saves data',
      { savesData: true, isTouched: true, isCharging: true },
      sparing,
    ],
  ])('%s may have so many', (_, power, most) => expect(mostConnections(power)).toBe(most))
})

describe('l6 a bundle', () => {
  it('has one connection on one machine and on a local network', () => {
    expect(new Run().receives(500 * MIB, held(0.5, 30 * MIB)).sizes).toEqual([1])
    expect(new Run().receives(500 * MIB, held(3, 20 * MIB)).sizes).toEqual([1])
  })

  it('has one connection on a short way to a busy machine, which answers late', () => {
    const busy = { ...held(20), queuing: () => 18 }
    expect(new Run().receives(60 * MIB, busy).sizes).toEqual([1])
  })

  it('grows on a long way, until all are in use', () => {
    const run = new Run().receives(200 * MIB, held(50, 30 * MIB))
    expect(run.sizes).toEqual([1, MOST_CONNECTIONS])
    expect(run.now).toBeLessThan(14_000)
    expect(new Run().receives(200 * MIB, held(10, 60 * MIB)).sizes).toEqual([1, 4, MOST_CONNECTIONS])
  })

  it('tries more as soon as the first connection is out of its slow start', () => {
    expect(new Run().receives(60 * MIB, held(20)).since[1]).toBe(250)
    expect(new Run().receives(60 * MIB, held(50)).since[1]).toBe(500)
    expect(new Run().receives(60 * MIB, held(150)).since[1]).toBe(1_000)
    // A near way may only seem longer while the machine is busy with the beginning.
    expect(new Run().receives(60 * MIB, held(10)).since[1]).toBe(1_000)
  })

  it('r6 does not grow while the relay carries the most, nor begin with what the last file needed', () => {
    const run = new Run()
    run.isBeside = true
    run.receives(60 * MIB, held(50))
    expect(run.sizes).toEqual([1])
    run.isBeside = false
    run.receives(60 * MIB, held(50))
    expect(run.bundle.size).toBe(MOST_CONNECTIONS)
    run.idles(20_000)
    run.isBeside = true
    run.receives(60 * MIB, held(50))
    expect(run.bundle.size).toBe(1)
  })

  it('r6 tries nothing while the relay tries to join or to leave', () => {
    const run = new Run()
    run.isRelayTrying = true
    run.receives(60 * MIB, held(50))
    expect(run.sizes).toEqual([1])
  })

  it('keeps what a trial had before it when that brought nothing, and does not try again at once', () => {
    const narrow: Way = { roundTrip: 50, rate: () => 300 }
    expect(new Run().receives(4 * MIB, narrow).sizes).toEqual([1, MOST_CONNECTIONS, 1])
    const wide = held(10, 22 * MIB)
    expect(new Run().receives(300 * MIB, wide).sizes).toEqual([1, 4, MOST_CONNECTIONS, 4])
  })

  it('has only as many as fill the path, and begins the next file with these', () => {
    const way: Way = { ...held(50, 5 * MIB), queuing: (connections) => (connections > 4 ? 150 : 20) }
    const run = new Run().receives(100 * MIB, way)
    expect(run.sizes).toEqual([1, MOST_CONNECTIONS, 8, 4])
    run.idles(20_000).receives(10 * MIB, way)
    expect(run.sizes.at(-1)).toBe(4)
  })

  it('has as many as before when fewer carry less on a full path', () => {
    const way: Way = { ...held(50, 20 * MIB), queuing: () => 150 }
    const run = new Run().receives(20 * MIB, held(50, 20 * MIB)).receives(100 * MIB, way)
    expect(run.sizes).toEqual([1, MOST_CONNECTIONS, 8, MOST_CONNECTIONS])
    const [, , fewer = Number.NaN, asBefore = Number.NaN] = run.since
    expect(asBefore - fewer).toBeLessThan(2_000)
  })

  it('tries again at once what brought nothing on another path', () => {
    const narrow: Way = { roundTrip: 10, rate: () => 2_000 }
    const run = new Run().receives(30 * MIB, narrow)
    expect(run.bundle.size).toBe(1)
    const since = run.now
    run.receives(20 * MIB, held(50, 20 * MIB))
    expect(run.bundle.size).toBe(MOST_CONNECTIONS)
    expect(run.now - since).toBeLessThan(6_000)
  })

  it('tries nothing where a narrow way holds one connection up', () => {
    const narrow: Way = { roundTrip: 50, rate: () => 62 }
    expect(new Run().receives(20 * MIB, narrow).sizes).toEqual([1])
  })

  it('waits longer after each trial that brought nothing', () => {
    const way: Way = { roundTrip: 50, rate: () => 300 }
    const run = new Run().receives(2_000 * MIB, way)
    expect(run.sizes.length).toBeLessThan(60)
  })

  it('has one connection when the way becomes narrow under way', () => {
    const run = new Run().receives(100 * MIB, held(50, 30 * MIB))
    expect(run.bundle.size).toBe(MOST_CONNECTIONS)
    run.receives(2 * MIB, { roundTrip: 200, rate: () => 100 })
    expect(run.bundle.size).toBe(1)
  })

  it('forgets a trial that the end of a file cut short', () => {
    const run = new Run()
    const view = {
      left: 100 * MIB,
      rate: 1_200,
      roundTrip: 50,
      queuing: 0,
      open: 1,
      most: MOST_CONNECTIONS,
      isBeside: false,
      isRelayTrying: false,
    }
    for (run.now = 0; run.bundle.size === 1; run.now += TICK_MS) run.bundle.next(view, run.now)
    run.idles(TICK_MS)
    expect(run.bundle.size).toBe(1)
  })

  it('wants no more than are open, when others have long been gone', () => {
    const run = new Run().receives(100 * MIB, held(50, 30 * MIB))
    run.receives(200 * MIB, held(50, 30 * MIB), () => 3)
    expect(run.sizes).toContain(3)
  })

  it('tries nothing for what will soon be here', () => {
    expect(new Run().receives(MIB, held(50)).sizes).toEqual([1])
  })

  it('has one connection again when it was idle, and as many as before for the next file', () => {
    const run = new Run().receives(200 * MIB, held(50, 30 * MIB))
    run.idles(5_000)
    expect(run.bundle.size).toBe(MOST_CONNECTIONS)
    run.idles(10_000)
    expect(run.bundle.size).toBe(1)
    run.receives(20 * MIB, held(50, 30 * MIB))
    expect(run.sizes.slice(-1)).toEqual([MOST_CONNECTIONS])
  })

  it('goes on with fewer where further connections do not open', () => {
    const run = new Run().receives(60 * MIB, held(50), () => 1)
    expect(run.sizes.slice(0, 3)).toEqual([1, MOST_CONNECTIONS, 1])
  })
})
