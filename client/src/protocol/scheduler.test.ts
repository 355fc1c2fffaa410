import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LARGEST_BUDGET_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import { Receiver } from './receiver'
import { bytesOf, Scheduler } from './scheduler'
import { repeated, type SimulatedLink, Simulation, share } from './simulated-links'

const MB = 1e6
const MIB = 1024 * 1024

/** A link of some megabytes a second with a round trip in milliseconds. */
const link = (rate: number, roundTrip: number, more: Partial<SimulatedLink> = {}): SimulatedLink => ({
  rate: rate * 1000,
  delay: roundTrip / 2,
  ...more,
})
const links = (count: number, of: (index: number) => SimulatedLink) =>
  Array.from({ length: count }, (_, index) => of(index))

it('f4_what_is_expected_on_a_link_that_is_no_longer_used_takes_no_room_from_the_others', () => {
  const scheduler = new Scheduler(new Map([['relay', 4 * MIB]]))
  const transfer = { receiver: new Receiver(100 * MIB) }
  scheduler.begin(transfer)
  const wants = (link: string, now: number) => scheduler.want([link], () => true, now)
  const expected: ChunkRange[] = []
  for (let now = 0; now < 2_000; now += 10) {
    for (let want = wants('relay', now); want; want = wants('relay', now)) expected.push(want.range)
    if (scheduler.outstanding > 3.9 * MIB) break
    for (const range of expected.splice(0, Math.ceil(expected.length / 2))) {
      scheduler.arrived(transfer, 'relay', range.first, bytesOf(range), now)
      transfer.receiver.wrote(range)
    }
  }
  expect(scheduler.outstanding).toBeGreaterThan(3.9 * MIB)
  expect(wants('direct', 2_000)).not.toBeNull()
})

describe('f12 a file of which a sign of life came, and nothing more', () => {
  const scene = () => {
    const scheduler = new Scheduler<{ receiver: Receiver }>()
    const [slow, other] = [{ receiver: new Receiver(100 * MIB) }, { receiver: new Receiver(100 * MIB) }]
    scheduler.begin(slow)
    const wants = () => {
      const all: ReturnType<typeof scheduler.want>[] = []
      for (let want = scheduler.want(['a'], () => true, 0); want; want = scheduler.want(['a'], () => true, 0))
        all.push(want)
      return all
    }
    const first = wants()[0]?.range
    if (!first) throw new Error('nothing is wanted')
    scheduler.begin(other)
    return { scheduler, slow, other, wants, first }
  }

  it('takes no room from the others, and is wanted no further', () => {
    const { scheduler, slow, other, wants } = scene()
    expect(wants()).toEqual([])
    scheduler.arrived(slow, 'a', 0, 0, 0)
    const transfers = wants().map((want) => want?.transfer)
    expect(transfers.length).toBeGreaterThan(0)
    expect(new Set(transfers)).toEqual(new Set([other]))
    expect(scheduler.isWaitingOn('a')).toBe(true)
  })

  it('takes its part again once a chunk comes', () => {
    const { scheduler, slow, wants, first } = scene()
    scheduler.arrived(slow, 'a', 0, 0, 0)
    wants()
    scheduler.arrived(slow, 'a', first.first, bytesOf(first), 0)
    slow.receiver.wrote(first)
    // Both together have more under way than the link has room for.
    expect(wants()).toEqual([])
    expect(scheduler.outstanding).toBeGreaterThan(slow.receiver.outstanding)
  })

  it('is wanted again where the link is lost', () => {
    const { scheduler, slow, other, wants } = scene()
    scheduler.arrived(slow, 'a', 0, 0, 0)
    scheduler.end(other)
    expect(wants()).toEqual([])
    scheduler.lost('a')
    expect(wants().map((want) => want?.transfer)).toContain(slow)
  })

  it('does not let more be under way than the largest budget, however many such files there are', () => {
    const scheduler = new Scheduler<{ receiver: Receiver }>()
    for (let files = 0; files < 1_000; files++) {
      const silent = { receiver: new Receiver(100 * MIB) }
      scheduler.begin(silent)
      while (scheduler.want(['a'], () => true, 0));
      scheduler.arrived(silent, 'a', 0, 0, 0)
    }
    expect(scheduler.outstanding).toBeLessThanOrEqual(LARGEST_BUDGET_BYTES)
    expect(scheduler.outstanding).toBeGreaterThan(LARGEST_BUDGET_BYTES / 2)
  })
})

describe('f4 over simulated links, a file', () => {
  const cases: [name: string, on: readonly SimulatedLink[], megabytes: number, atLeast: number][] = [
    ['one, as on one machine', [link(40, 0.4)], 200, 0.97],
    ['one, 10 ms', [link(9, 10)], 100, 0.97],
    ['one, 50 ms', [link(1.2, 50)], 20, 0.97],
    ['one, 150 ms', [link(20, 150)], 200, 0.85],
    ['one, 2 Mbit/s', [link(0.25, 30)], 3, 0.97],
    ['sixteen, 50 ms', links(16, () => link(0.8, 50)), 100, 0.95],
    ['sixteen that are uneven', links(16, (i) => link(0.2 + i / 10, 50)), 100, 0.92],
    ['sixteen with jitter', links(16, () => link(0.8, 50, { jitter: 30 })), 100, 0.95],
    ['direct, and the faster server', [link(1.2, 50), link(30, 60)], 200, 0.9],
    ['fast, and four hundred times slower', [link(20, 20), link(0.05, 300)], 40, 0.92],
  ]
  it.each(cases)('%s: has nearly all that they carry', (_name, on, megabytes, atLeast) => {
    const size = megabytes * MB
    const outcome = new Simulation(on, [size]).run()
    expect(share(on, size, outcome)).toBeGreaterThan(atLeast)
    expect(repeated(size, outcome)).toBeLessThanOrEqual(0.02)
  })

  it('a path that becomes longer and slower in the middle is used again within 3 s', () => {
    const becomes = { at: 2_000, rate: 250, delay: 25 }
    const on = links(8, () => link(2.5, 10, { becomes }))
    const { progress } = new Simulation(on, [80 * MB]).run()
    const gained = ((progress[70] ?? 0) - (progress[50] ?? 0)) / 2_000
    expect(gained).toBeGreaterThan(0.8 * 8 * becomes.rate)
  })

  it('a path that becomes shorter and faster in the middle is used within 3 s', () => {
    const becomes = { at: 4_000, rate: 2_500, delay: 5 }
    const on = links(8, () => link(0.25, 50, { becomes }))
    const { progress } = new Simulation(on, [150 * MB]).run()
    const gained = ((progress[90] ?? 0) - (progress[70] ?? 0)) / 2_000
    expect(gained).toBeGreaterThan(0.8 * 8 * becomes.rate)
  })

  it('when links die, goes on with the others', () => {
    const on = links(6, (i) => link(1, 50, i < 2 ? { dies: 3_000 } : {}))
    const { progress } = new Simulation(on, [60 * MB]).run()
    const gained = ((progress[60] ?? 0) - (progress[40] ?? 0)) / 2_000
    expect(gained).toBeGreaterThan(0.9 * 4 * 1_000)
  })

  it('of which one link only lies is whole all the same', () => {
    const outcome = new Simulation([link(5, 20), link(5, 20, { lies: true })], [20 * MB]).run()
    expect(outcome.carried[1]).toBeLessThan(MB)
  })

  it('is whole over any links, with no more than the budget under way and two percent sent twice', () => {
    const any = fc.record({
      rate: fc.double({ min: 40, max: 40_000, noNaN: true }),
      delay: fc.double({ min: 0.1, max: 300, noNaN: true }),
      jitter: fc.double({ min: 0, max: 50, noNaN: true }),
    })
    const some = fc.array(any, { minLength: 1, maxLength: 16 })
    const sizes = fc.array(fc.integer({ min: 1, max: 4 * MIB }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(some, sizes, (on, bytes) => {
        const outcome = new Simulation(on, bytes).run()
        expect(outcome.most).toBeLessThanOrEqual(LARGEST_BUDGET_BYTES)
        const size = bytes.reduce((sum, one) => sum + one, 0)
        expect(repeated(size, outcome)).toBeLessThanOrEqual(0.02)
      }),
      { numRuns: 60 },
    )
  })
})

describe('f4 the end of a file', () => {
  it('is not left to a link that would take long for it', () => {
    const on = [link(10, 20), link(0.02, 20)]
    const { took } = new Simulation(on, [30 * MB]).run()
    // A single frame takes the slow link more than three seconds.
    expect(took).toBeLessThan(3_500)
  })

  it('is asked for again on an idle link when it does not come on another', () => {
    const on = [link(10, 20), link(10, 20, { dies: 4_500 })]
    const { took } = new Simulation(on, [100 * MB]).run()
    // The dead link is given up after 8 s.
    expect(took).toBeLessThan(7_000)
  })
})
