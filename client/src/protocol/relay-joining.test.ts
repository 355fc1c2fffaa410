/** R6: the relay carries beside direct links where that brings much. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { RelayUse } from './bindings'
import { RelayJoining, type RelayView } from './relay-joining'

const STEP_MS = 250
const MB = 1_000_000

let joining: RelayJoining
let now: number

beforeEach(() => {
  joining = new RelayJoining()
  now = 0
})

interface Path {
  use?: RelayUse | null
  /** Bytes a millisecond over the direct links alone, and over them while the relay carries too. */
  alone: number
  beside?: number
  /** Bytes a millisecond over the relay while it carries. */
  relay: number
  roundTrip?: number
  isTrying?: boolean
  left?: number
}

/** Lets a file come for so many seconds. Returns for how many of them the relay carried. */
function comes(seconds: number, path: Path): number {
  const { alone, beside = alone, relay, use = 'fallback', roundTrip = 50 } = path
  const { isTrying = false, left = 1_000 * MB } = path
  let joined = 0
  for (const end = now + 1_000 * seconds; now < end; now += STEP_MS) {
    const { isJoined } = joining
    const view: RelayView = {
      use,
      left,
      direct: isJoined ? beside : alone,
      relay: isJoined ? relay : 0,
      roundTrip,
      isTrying,
    }
    if (joining.next(view, now)) joined += STEP_MS / 1_000
  }
  return joined
}

describe('r6 with fallback', () => {
  it('the relay joins a very slow direct way within 3 s, and stays', () => {
    comes(3, { alone: 100, relay: 2_000 })
    expect(joining.isJoined).toBe(true)
    expect(comes(60, { alone: 100, relay: 2_000 })).toBe(60)
  })

  it('it joins no other, however fast it would be', () => {
    expect(comes(300, { alone: 300, relay: 20_000 })).toBe(0)
  })

  it('for the rest of a file that comes soon it is not tried', () => {
    expect(comes(60, { alone: 100, relay: 2_000, left: 400_000 })).toBe(0)
  })

  it('what the bundle gains by a trial of its own is not taken for its gain', () => {
    expect(comes(60, { alone: 100, relay: 2_000, isTrying: true })).toBe(0)
  })

  it('it joins no way that carries more than 128 KB/s, and stays on one that does not reach 256', () => {
    expect(comes(60, { alone: 150, relay: 2_000 })).toBe(0)
    comes(10, { alone: 100, relay: 2_000 })
    comes(60, { alone: 200, relay: 2_000 })
    expect(joining.isJoined).toBe(true)
  })

  it('it leaves when the direct way is no longer slow', () => {
    comes(10, { alone: 100, relay: 2_000 })
    comes(3, { alone: 1_000, relay: 2_000 })
    expect(joining.isJoined).toBe(false)
  })

  it('it does not join a way that has only begun', () => {
    comes(1, { alone: 0, relay: 2_000 })
    expect(comes(60, { alone: 1_000, relay: 2_000 })).toBe(0)
  })
})

describe('r6 with boost', () => {
  const use = 'boost'

  it('the relay carries from the start, and is not tried without while it carries the most', () => {
    expect(comes(60, { use, alone: 5_000, relay: 6_000 })).toBe(60)
  })

  it('it stays where the direct links alone carry less, with a trial now and then', () => {
    expect(comes(120, { use, alone: 10_000, beside: 8_000, relay: 6_000 })).toBeGreaterThan(120 - 3 * 3.5)
  })

  it('on a narrow line, where it only takes from them, it leaves, and is tried seldom', () => {
    const narrow = { use, alone: 2_000, beside: 1_200, relay: 800 } as const
    comes(10, narrow)
    expect(joining.isJoined).toBe(false)
    expect(comes(600, narrow)).toBeLessThanOrEqual(5 * 3)
  })

  it('the next file begins without it then', () => {
    const narrow = { use, alone: 2_000, beside: 1_200, relay: 800 } as const
    comes(10, narrow)
    comes(1, { ...narrow, left: 0 })
    expect(comes(3, narrow)).toBe(0)
  })

  it('on another path it is tried at once', () => {
    comes(20, { use, alone: 2_000, beside: 1_200, relay: 800 })
    expect(comes(6, { use, alone: 2_000, relay: 9_000, roundTrip: 160 })).toBeGreaterThan(3)
  })

  it('on the way between two devices in one house it does not carry', () => {
    expect(comes(60, { use, alone: 40_000, relay: 40_000, roundTrip: 2 })).toBe(0)
  })

  it('does not come and go on a way of about 4 ms', () => {
    let joined = 0
    for (let turn = 0; turn < 10; turn++)
      joined += comes(1, { use, alone: 5_000, relay: 6_000, roundTrip: turn % 2 ? 3.5 : 4.5 })
    expect(joined).toBe(10)
  })

  it('it leaves when it carries next to nothing', () => {
    comes(10, { use, alone: 2_000, relay: 2_000 })
    comes(10, { use, alone: 2_000, relay: 0 })
    expect(joining.isJoined).toBe(false)
  })

  it('it leaves when nothing more is to come', () => {
    comes(10, { use, alone: 2_000, relay: 2_000 })
    comes(1, { use, alone: 2_000, relay: 2_000, left: 0 })
    expect(joining.isJoined).toBe(false)
  })
})

it.each(['off', null] as const)(
  'r6 where the operator wants no relay, or where the server is away (%s), it never joins',
  (use) => {
    expect(comes(60, { use, alone: 10, relay: 2_000 })).toBe(0)
  },
)
