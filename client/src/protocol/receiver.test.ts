import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import { PIECE_CHUNKS } from './pieces'
import { chunkCount, Receiver, rangeBytes } from './receiver'

/** Two links to one device, and one to another. */
const LINKS = ['direct', 'relay', 'other'] as const
const DEVICES = [LINKS.slice(0, 2), LINKS.slice(2)]

const link = fc.constantFrom(...LINKS)
const count = fc.integer({ min: 1, max: 20 })

const step = fc.oneof(
  fc.record({ does: fc.constant('want' as const), link, most: count }),
  fc.record({ does: fc.constant('again' as const), link, most: count }),
  /** Chunks come from a device, wanted or not, sometimes with too many or too few bytes. */
  fc.record({
    does: fc.constant('come' as const),
    device: fc.nat(1),
    first: fc.nat(150),
    count,
    more: fc.constantFrom(0, 0, 0, 0, 1, -1, -CHUNK_BYTES, CHUNK_BYTES),
  }),
  /** What is expected comes, any of it. */
  fc.record({ does: fc.constant('give' as const), link, pick: fc.nat(), twice: fc.boolean() }),
  fc.record({ does: fc.constant('write' as const), pick: fc.nat() }),
  fc.record({ does: fc.constant('lose' as const), link }),
  fc.record({ does: fc.constant('refuse' as const), piece: fc.nat(2) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** A receiver, and beside it a plain account of what it has taken. */
class Account {
  readonly receiver: Receiver
  /** Chunks that were handed out to be written and were not refused since, and those of them that are durable. */
  readonly taken = new Set<number>()
  readonly durable = new Set<number>()
  readonly #writing: ChunkRange[] = []

  constructor(readonly size: number) {
    this.receiver = new Receiver(size)
  }

  does(step: Step): void {
    switch (step.does) {
      case 'want':
        this.receiver.want(step.link, step.most * CHUNK_BYTES, step.most * CHUNK_BYTES)
        return
      case 'again':
        this.receiver.wantTwice(step.link, 'direct', step.most * CHUNK_BYTES)
        return
      case 'come':
        return this.comes(step.first, step.count * CHUNK_BYTES + step.more, DEVICES[step.device] ?? [])
      case 'give':
        return this.#gives(step)
      case 'write':
        return this.#writes(step.pick)
      case 'lose':
        return this.receiver.lost(step.link)
      case 'refuse':
        return this.#refuses({ first: step.piece * PIECE_CHUNKS, count: PIECE_CHUNKS })
    }
  }

  comes(first: number, bytes: number, links: readonly string[]): void {
    const expected = new Set(links.flatMap((link) => this.receiver.expectedOn([link]).flatMap(numbers)))
    for (const range of this.receiver.arrived(first, bytes, links)) {
      for (const chunk of numbers(range)) {
        expect(expected.has(chunk)).toBe(true)
        expect(this.taken.has(chunk)).toBe(false)
        expect(chunk >= first && chunk * CHUNK_BYTES < first * CHUNK_BYTES + bytes).toBe(true)
        this.taken.add(chunk)
      }
      this.#writing.push(range)
    }
  }

  #gives({ link, pick, twice }: Extract<Step, { does: 'give' }>): void {
    const expected = this.receiver.expectedOn([link])
    const range = expected[pick % Math.max(1, expected.length)]
    const links = DEVICES.find((links) => links.includes(link)) ?? []
    if (!range) return
    for (let time = 0; time < (twice ? 2 : 1); time++)
      this.comes(range.first, rangeBytes(range, this.size), links)
  }

  #writes(pick: number): void {
    const [range] = this.#writing.splice(pick % Math.max(1, this.#writing.length), 1)
    if (!range) return
    this.receiver.wrote(range)
    for (const chunk of numbers(range)) this.durable.add(chunk)
  }

  /** A piece is hashed, and perhaps wrong, only when all of it is durable. */
  #refuses(piece: ChunkRange): void {
    const chunks = numbers({ ...piece, count: Math.min(piece.count, chunkCount(this.size) - piece.first) })
    if (chunks.length === 0 || !chunks.every((chunk) => this.durable.has(chunk))) return
    this.receiver.refused({ first: piece.first, count: chunks.length })
    for (const chunk of chunks) for (const set of [this.taken, this.durable]) set.delete(chunk)
  }

  /** Gives all that is missing. */
  ends(): void {
    for (const link of LINKS) this.receiver.lost(link)
    for (;;) {
      const range = this.receiver.wantRun('direct', Number.MAX_SAFE_INTEGER)
      if (!range) break
      this.comes(range.first, rangeBytes(range, this.size), ['direct'])
    }
    while (this.#writing.length > 0) this.#writes(0)
  }
}

const numbers = ({ first, count }: ChunkRange) => Array.from({ length: count }, (_, at) => first + at)

describe('f3 f5 f6 a receiver', () => {
  it('takes each chunk once, of a device of which it is wanted, in any order and however often it comes', () => {
    fc.assert(
      fc.property(fc.nat(150 * CHUNK_BYTES), fc.array(step, { maxLength: 200 }), (size, steps) => {
        const account = new Account(size)
        const { receiver } = account
        for (const step of steps) {
          account.does(step)
          const bytes = [...account.durable].reduce(
            (sum, first) => sum + rangeBytes({ first, count: 1 }, size),
            0,
          )
          // The last chunk may be short; until it is here, whole ones are counted.
          expect(receiver.received).toBe(Math.min(size, account.durable.size * CHUNK_BYTES))
          expect(receiver.received - bytes).toBeLessThan(CHUNK_BYTES)
          expect(receiver.writing).toBe((account.taken.size - account.durable.size) * CHUNK_BYTES)
          expect(receiver.isComplete).toBe(account.durable.size === chunkCount(size))
        }
        account.ends()
        expect(receiver.isComplete).toBe(true)
        expect(receiver.received).toBe(size)
        expect(receiver.outstanding).toBe(0)
      }),
      { seed: 1, numRuns: 150 },
    )
  })
})
