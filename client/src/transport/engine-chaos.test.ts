/**
 * F3 to F21: whatever the network loses, repeats, delays and spoils, whoever leaves, and whatever one device says that keeps
 * to no rule, the others get what they asked for, and nothing twice.
 */
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { CHUNK_BYTES } from '../protocol/bindings'
import { PIECE_BYTES } from '../protocol/pieces'
import type { Happening, LiarPlan, Plan } from './engine-chaos'
import { CLAIMS, type Lie, MANNERS } from './engine-chaos-liar'
import type { Weather } from './engine-chaos-network'
import { People } from './engine-chaos-people'
import { fakeTime, KIB, MIB } from './engine-stage'

/** A breach is made smaller for so long at most, in milliseconds. */
const MOST_MS = 580_000
const OPTIONS = {
  seed: Number(process.env.HELIOGRAPH_CHAOS_SEED ?? 1),
  numRuns: Number(process.env.HELIOGRAPH_CHAOS_RUNS ?? 40),
  interruptAfterTimeLimit: MOST_MS,
  markInterruptAsFailure: true,
}

vi.mock('../crypto/file-keys', async () => {
  const { plainKeysOf } = await import('./engine-chaos-seal')
  return { fileKeysOf: plainKeysOf }
})

const number = fc.nat(11)

const size = fc.oneof(
  fc.constantFrom(0, 1, CHUNK_BYTES, PIECE_BYTES, PIECE_BYTES + 1, 4 * MIB, 4 * MIB + 1, 9 * MIB),
  fc.nat(6 * MIB),
  fc.nat(300 * KIB),
)

const part = fc.constantFrom(0, 0, 0, 0.01, 0.1, 0.4)

const weather: fc.Arbitrary<Weather> = fc.record({
  drops: part,
  loses: part,
  repeats: part,
  late: fc.constantFrom(0, 0, 100, 2_000),
  spoils: part,
  cuts: part,
})

const chunk = fc.oneof(fc.nat(600), fc.constantFrom(0, 4_294_967_295))

const lie: fc.Arbitrary<Lie> = fc.record({
  says: fc.constantFrom(...CLAIMS),
  file: fc.nat(4),
  first: chunk,
  count: chunk,
  reason: fc.constantFrom('person', 'gone', 'noRoom', 'paused'),
})

/** The same about all of a file. */
const wholeLie: fc.Arbitrary<Lie> = fc.record({
  says: fc.constantFrom(...CLAIMS),
  file: fc.nat(2),
  first: fc.constant(0),
  count: fc.constantFrom(4_294_967_295, 0),
  reason: fc.constantFrom('person', 'gone', 'noRoom', 'paused'),
})

const liar: fc.Arbitrary<LiarPlan> = fc.record({
  manner: fc.constantFrom(...MANNERS),
  habits: fc.array(fc.oneof(lie, { weight: 3, arbitrary: wholeLie }), { maxLength: 6 }),
  shares: fc.option(fc.constantFrom(1, 5 * MIB)),
})

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('weather' as const), weather }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('ask', 'ask', 'pause', 'resume', 'cancel'),
      device: number,
      file: number,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('hold', 'hold', 'release', 'callOff'),
      file: number,
      to: fc.option(number),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('socket' as const), device: number }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reload' as const), device: number, hasFiles: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('passOn' as const), device: number, isAllowed: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('link' as const), between: fc.tuple(number, number) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('cut' as const),
      link: number,
      end: fc.constantFrom(0 as const, 1 as const),
      lag: fc.nat(5_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('lie' as const),
      lie: fc.oneof(lie, wholeLie),
      to: number,
      times: fc.constantFrom(1, 1, 50),
    }),
  },
)

const plan = (liars: fc.Arbitrary<LiarPlan | null>): fc.Arbitrary<Plan> =>
  fc.record({
    seed: fc.nat(),
    honest: fc.integer({ min: 2, max: 4 }),
    files: fc.array(fc.record({ size, owner: number }), { minLength: 1, maxLength: 3 }),
    liar: liars,
    uplink: fc.constantFrom(1, 4, 32),
    disk: fc.constantFrom(0, 0, 30, 1_000),
    rtc: fc.boolean(),
    isEager: fc.boolean(),
    isSealed: fc.boolean(),
    happenings: fc.array(fc.tuple(fc.constantFrom(0, 20, 200, 1_000, 3_000), happening), { maxLength: 20 }),
  })

vi.setConfig({ testTimeout: MOST_MS + 20_000 })
afterEach(() => vi.useRealTimers())

async function lives(plan: Plan): Promise<void> {
  fakeTime()
  try {
    const people = new People(plan)
    expect(await people.live()).toEqual([])
  } finally {
    vi.useRealTimers()
  }
}

it('honest devices get what they ask for, whatever the network does', async () => {
  await fc.assert(fc.asyncProperty(plan(fc.constant(null)), lives), OPTIONS)
})

it('and whatever a liar says', async () => {
  await fc.assert(fc.asyncProperty(plan(liar), lives), OPTIONS)
})
