import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChunkRange } from './chunk-set'
import { SendQueue, type Turn } from './send-queue'

/** Takes the next frame, and sends it at once. */
const send = (queue: SendQueue<string>, limit: number): Turn<string> | null => {
  const turn = queue.next(limit)
  if (turn) queue.sent(turn)
  return turn
}

/** Returns what takes a frame after the other, each of which is on its way until the next one is taken. */
function framesOf(queue: SendQueue<string>): (limit: number) => Turn<string> | null {
  let underWay: Turn<string> | null = null
  return (limit) => {
    if (underWay) queue.sent(underWay)
    underWay = queue.next(limit)
    return underWay
  }
}

const all = (queue: SendQueue<string>, limit: number) => {
  const order: string[] = []
  for (let turn = send(queue, limit); turn; turn = send(queue, limit)) {
    order.push(`${turn.transfer}${turn.range.first}`)
  }
  return order
}

it('f3_does_not_queue_again_what_is_being_read', () => {
  const queue = new SendQueue<string>()
  queue.want('a', { first: 0, count: 4 })
  const turn = queue.next(4)
  queue.want('a', { first: 0, count: 6 })
  expect(queue.has('a')).toBe(true)
  expect(turn && queue.sent(turn)).toBe(true)
  expect(send(queue, 4)).toEqual({ transfer: 'a', range: { first: 4, count: 2 } })
  expect(queue.has('a')).toBe(false)
  // What was sent and got lost is sent again.
  queue.want('a', { first: 0, count: 4 })
  expect(queue.next(4)).toEqual({ transfer: 'a', range: { first: 0, count: 4 } })
})

describe('f3 what is long in being read', () => {
  const queue = () => {
    const queue = new SendQueue<string>()
    for (const file of 'abcdefghijkl') queue.want(file, { first: 0, count: 8 })
    return queue
  }

  it('holds up no other file, and nothing of the same file comes before it', () => {
    const wants = queue()
    const slow = wants.next(4)
    expect(all(wants, 8)).toEqual([...'bcdefghijkl'].map((file) => `${file}0`))
    expect(wants.has('a')).toBe(true)
    expect(slow && wants.sent(slow)).toBe(true)
    expect(all(wants, 8)).toEqual(['a4'])
  })

  it('is that of eight files at most, until one of them is given up', () => {
    const wants = queue()
    const taken = Array.from({ length: 9 }, () => wants.next(4)?.transfer)
    expect(taken).toEqual([...'abcdefgh', undefined])
    wants.forget('c')
    expect(wants.next(4)?.transfer).toBe('i')
  })

  it('is not sent once it was given up, though the same is wanted anew', () => {
    const wants = queue()
    const given = wants.next(4)
    wants.forget('a')
    wants.want('a', { first: 0, count: 4 })
    for (let turn = wants.next(4); turn && turn.transfer !== 'a'; turn = wants.next(4)) wants.sent(turn)
    expect(given && [wants.isTaken(given), wants.sent(given)]).toEqual([false, false])
    expect(wants.has('a')).toBe(true)
  })
})

describe('f3 the queue of a link', () => {
  it('gives each file a turn of one frame, so that none waits for another', () => {
    const queue = new SendQueue<string>()
    queue.want('a', { first: 0, count: 12 })
    queue.want('b', { first: 0, count: 8 })
    queue.want('c', { first: 4, count: 4 })
    expect(all(queue, 4)).toEqual(['a0', 'b0', 'c4', 'a4', 'b4', 'a8'])
  })

  it('sends a chunk once that is wanted twice before', () => {
    const queue = new SendQueue<string>()
    queue.want('a', { first: 0, count: 4 })
    queue.want('a', { first: 2, count: 4 })
    expect(all(queue, 3)).toEqual(['a0', 'a3'])
  })

  it('drops the chunks of an ended transfer or link', () => {
    const queue = new SendQueue<string>()
    queue.want('a', { first: 0, count: 1 })
    queue.want('b', { first: 0, count: 1 })
    queue.forget('a')
    expect(queue.next(4)?.transfer).toBe('b')
    queue.want('a', { first: 0, count: 1 })
    queue.clear()
    expect(queue.next(4)).toBeNull()
  })

  it('stays small when a hostile device wants every second chunk of a large file', () => {
    const queue = new SendQueue<string>()
    for (let first = 0; first < 100_000; first += 2) queue.want('a', { first, count: 1 })
    expect(all(queue, 4).length).toBeLessThanOrEqual(256)
  })
})

/** What a device may want: a little here and there, or all that there can be. */
const anyRange: fc.Arbitrary<ChunkRange> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ first: fc.nat(3_000), count: fc.nat(3) }) },
  fc.record({ first: fc.constantFrom(0, 7, 4_294_967_295), count: fc.constantFrom(0, 40, 4_294_967_295) }),
)

const chunks = ({ first, count }: ChunkRange) => Array.from({ length: count }, (_, at) => first + at)

describe('f3 whatever a hostile device wants', () => {
  /** `take`: chunks in the next frame; null for a want. */
  const steps = fc.array(
    fc.tuple(fc.constantFrom('a', 'b'), anyRange, fc.option(fc.integer({ min: 1, max: 9 }))),
    {
      minLength: 200,
      maxLength: 900,
    },
  )

  it('its queue has at most 256 ranges, and one that the frame under way has split', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new SendQueue<string>()
        const next = framesOf(queue)
        for (const [transfer, range, take] of all) {
          if (take === null) queue.want(transfer, range)
          else next(take)
        }
        const ranges = { a: 0, b: 0 }
        for (let turn = next(Number.POSITIVE_INFINITY); turn; turn = next(Number.POSITIVE_INFINITY))
          ranges[turn.transfer as 'a' | 'b'] += 1
        expect(Math.max(ranges.a, ranges.b)).toBeLessThanOrEqual(257)
      }),
      { seed: 1, numRuns: 30 },
    )
  })

  it('a chunk is sent at most once for each want that has it', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const queue = new SendQueue<string>()
        const next = framesOf(queue)
        const wants: ChunkRange[] = []
        const sent = new Map<number, number>()
        const isSent = (chunk: number) => {
          sent.set(chunk, (sent.get(chunk) ?? 0) + 1)
          const times = wants.filter(({ first, count }) => chunk >= first && chunk < first + count).length
          expect(sent.get(chunk)).toBeLessThanOrEqual(times)
        }
        for (const [, range, take] of all) {
          if (take === null) {
            wants.push(range)
            queue.want('a', range)
          } else chunks(next(take)?.range ?? { first: 0, count: 0 }).forEach(isSent)
        }
      }),
      { seed: 1, numRuns: 30 },
    )
  })
})
