import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES, WINDOW_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import { chunkCount, Receiver, rangeBytes } from './receiver'
import { Sender } from './sender'

/** A wire between a sender and a receiver: links that deliver in any order, twice, or die with all that is on them. */
class Wire {
  readonly file: Uint8Array
  readonly copy: Uint8Array
  readonly sender: Sender
  readonly receiver: Receiver
  /** Chunks under way, by link. */
  underWay: { link: string; range: ChunkRange }[] = []
  link = 'link 0'
  most = 0
  carried = 0

  constructor(size: number) {
    this.file = Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >> 8)) & 0xff)
    this.copy = new Uint8Array(size)
    this.sender = new Sender(size)
    this.receiver = new Receiver(size)
  }

  wants(): void {
    for (const range of this.receiver.want(this.link, WINDOW_BYTES - this.receiver.outstanding)) {
      this.sender.want(this.link, range)
    }
    this.most = Math.max(this.most, this.receiver.outstanding)
  }

  sends(limit: number): void {
    const range = this.sender.next(this.link, limit)
    if (!range) return
    this.carried += rangeBytes(range, this.file.length)
    this.underWay.push({ link: this.link, range })
  }

  delivers(pick: number, twice: boolean): void {
    const [message] = this.underWay.splice(pick % Math.max(1, this.underWay.length), 1)
    if (!message) return
    this.#deliver(message.range)
    if (twice) this.#deliver(message.range)
  }

  #deliver({ first, count }: ChunkRange): void {
    const bytes = this.file.subarray(first * CHUNK_BYTES, (first + count) * CHUNK_BYTES)
    for (const fresh of this.receiver.arrived(first, bytes.length)) {
      const from = fresh.first * CHUNK_BYTES
      this.copy.set(this.file.subarray(from, from + rangeBytes(fresh, this.file.length)), from)
      this.receiver.wrote(fresh)
    }
  }

  dies(name: string): void {
    this.underWay = this.underWay.filter(({ link }) => link !== this.link)
    this.sender.lost(this.link)
    this.receiver.lost(this.link)
    this.link = name
  }

  /** Goes on without trouble to the end. */
  finishes(): void {
    for (let step = 0; !this.receiver.isComplete && step < 100_000; step++) {
      this.wants()
      this.sends(15)
      this.delivers(0, false)
    }
  }
}

type Event =
  | { do: 'want' }
  | { do: 'send'; limit: number }
  | { do: 'deliver'; pick: number; twice: boolean }
  | { do: 'die' }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Event>({ do: 'want' }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('send' as const), limit: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), pick: fc.nat(50), twice: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant<Event>({ do: 'die' }) },
)

function play(wire: Wire, events: readonly Event[]): void {
  let links = 0
  for (const step of events) {
    if (step.do === 'want') wire.wants()
    else if (step.do === 'send') wire.sends(step.limit)
    else if (step.do === 'deliver') wire.delivers(step.pick, step.twice)
    else wire.dies(`link ${++links}`)
  }
}

describe('a sender and a receiver', () => {
  it('f5_f6_give_the_same_bytes_over_any_order_repetition_and_loss_of_links', () => {
    const size = fc.oneof(
      fc.integer({ min: 1, max: 3 }).map((n) => n * CHUNK_BYTES),
      fc.nat(600_000),
    )
    fc.assert(
      fc.property(size, fc.array(event, { maxLength: 300 }), (bytes, events) => {
        const wire = new Wire(bytes)
        play(wire, events)
        wire.finishes()
        expect(wire.receiver.isComplete).toBe(true)
        expect(Buffer.compare(wire.copy, wire.file)).toBe(0)
      }),
      { numRuns: 100 },
    )
  })

  it('f4_never_have_more_than_a_window_outstanding', () => {
    const wire = new Wire(12 * 1024 * 1024)
    fc.assert(
      fc.property(fc.array(event, { maxLength: 400 }), (events) => {
        play(wire, events)
        expect(wire.most).toBeLessThanOrEqual(WINDOW_BYTES)
      }),
      { numRuns: 20 },
    )
    expect(wire.most).toBeGreaterThan(WINDOW_BYTES / 2)
  })

  it('f6_send_nothing_durable_twice_when_the_link_dies', () => {
    const wire = new Wire(20 * 1024 * 1024)
    for (let i = 0; i < 40; i++) {
      wire.wants()
      wire.sends(15)
      wire.delivers(0, false)
    }
    const durable = wire.receiver.received
    wire.dies('relay')
    wire.carried = 0
    wire.finishes()
    expect(wire.carried).toBe(wire.file.length - durable)
  })

  it('f3_ignore_chunks_that_were_not_wanted_or_have_a_wrong_length', () => {
    const receiver = new Receiver(40_000)
    expect(receiver.arrived(0, CHUNK_BYTES)).toEqual([])
    receiver.want('link', WINDOW_BYTES)
    expect(receiver.arrived(0, CHUNK_BYTES - 1)).toEqual([])
    expect(receiver.arrived(2, CHUNK_BYTES)).toEqual([])
    expect(receiver.arrived(3, 1)).toEqual([])
    expect(receiver.arrived(2, 40_000 - 2 * CHUNK_BYTES)).toEqual([{ first: 2, count: 1 }])
  })

  it('f2_an_empty_file_is_complete_from_the_start', () => {
    expect(chunkCount(0)).toBe(0)
    expect(new Receiver(0).isComplete).toBe(true)
  })

  it('f3_the_sender_ignores_wants_beyond_the_file', () => {
    const sender = new Sender(40_000)
    sender.want('link', { first: 7, count: 4_294_967_295 })
    expect(sender.next('link', 100)).toBeNull()
    sender.want('link', { first: 1, count: 4_294_967_295 })
    expect(sender.next('link', 100)).toEqual({ first: 1, count: 2 })
    expect(sender.sent).toBe(40_000 - CHUNK_BYTES)
  })
})
