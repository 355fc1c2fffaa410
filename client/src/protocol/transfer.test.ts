import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES, SMALLEST_BUDGET_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import { chunkCount, Receiver, rangeBytes } from './receiver'
import { Scheduler } from './scheduler'
import { SendQueue } from './send-queue'
import { Sender } from './sender'

const MIB = 1024 * 1024
/** The content of the files. No two of its chunks are equal. */
const PATTERN = Uint8Array.from({ length: 20 * MIB }, (_, i) => (i * 31 + (i >> 8) + (i >> 14)) & 0xff)

/** One file in transfer: the rules of both ends, and its bytes. */
class File {
  readonly bytes: Uint8Array
  readonly copy: Uint8Array
  readonly sender: Sender
  readonly receiver: Receiver

  constructor(size: number) {
    this.bytes = PATTERN.subarray(0, size)
    this.copy = new Uint8Array(size)
    this.sender = new Sender(size)
    this.receiver = new Receiver(size)
  }

  /** @param arrived notes the arrival of bytes from a chunk on, and returns what of it is new */
  arrives({ first, count }: ChunkRange, arrived: (first: number, bytes: number) => ChunkRange[]): void {
    const bytes = this.bytes.subarray(first * CHUNK_BYTES, (first + count) * CHUNK_BYTES)
    for (const fresh of arrived(first, bytes.length)) {
      const from = fresh.first * CHUNK_BYTES
      this.copy.set(this.bytes.subarray(from, from + rangeBytes(fresh, this.bytes.length)), from)
      this.receiver.wrote(fresh)
    }
  }
}

/** A wire between two devices, with links that deliver in any order, deliver twice, or die with everything on them. */
class Wire {
  readonly files: readonly File[]
  readonly scheduler = new Scheduler<File>()
  queue = new SendQueue<File>()
  /** Chunks on their way. */
  underWay: { link: string; file: File; range: ChunkRange }[] = []
  link = 'link 0'
  /** Milliseconds. A delivery takes 20, so that no link needs a larger window than the least budget. */
  now = 0
  /** Most bytes wanted and not yet written, counted here independently of the rules under test. */
  most = 0
  carried = 0

  constructor(...sizes: number[]) {
    this.files = sizes.map((size) => new File(size))
    for (const file of this.files) this.scheduler.begin(file)
  }

  get isComplete(): boolean {
    return this.files.every(({ receiver }) => receiver.isComplete)
  }

  wants(): void {
    for (let want = this.#want(); want; want = this.#want()) {
      const range = want.transfer.sender.within(want.range)
      if (range) this.queue.want(want.transfer, range)
      this.#pending += want.range.count * CHUNK_BYTES
      this.most = Math.max(this.most, this.#pending)
    }
  }

  /** Bytes wanted that were neither written nor lost with a link. */
  #pending = 0

  #want() {
    return this.scheduler.want([this.link], () => true, this.now)
  }

  sends(limit: number): void {
    const turn = this.queue.next(limit)
    if (!turn) return
    this.carried += rangeBytes(turn.range, turn.transfer.bytes.length)
    this.queue.sent(turn)
    turn.transfer.sender.gave(turn.range)
    this.underWay.push({ link: this.link, file: turn.transfer, range: turn.range })
  }

  delivers(pick: number, twice: boolean): void {
    const [message] = this.underWay.splice(pick % Math.max(1, this.underWay.length), 1)
    if (!message) return
    this.now += 20
    this.#pending -= message.range.count * CHUNK_BYTES
    const arrived = (first: number, bytes: number) =>
      this.scheduler.arrived(message.file, message.link, first, bytes, this.now)
    message.file.arrives(message.range, arrived)
    if (twice) message.file.arrives(message.range, arrived)
  }

  dies(name: string): void {
    this.underWay = []
    this.queue = new SendQueue()
    this.scheduler.lost(this.link)
    this.link = name
    this.#pending = 0
  }

  /** Runs without trouble to the end. */
  finishes(): void {
    for (let step = 0; !this.isComplete && step < 100_000; step++) {
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

const step: fc.Arbitrary<Event> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Event>({ do: 'want' }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('send' as const), limit: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), pick: fc.nat(50), twice: fc.boolean() }),
  },
)

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 20, arbitrary: step },
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
    const sizes = fc.array(size, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(sizes, fc.array(event, { maxLength: 300 }), (bytes, events) => {
        const wire = new Wire(...bytes)
        play(wire, events)
        wire.finishes()
        expect(wire.isComplete).toBe(true)
        for (const file of wire.files) expect(Buffer.compare(file.copy, file.bytes)).toBe(0)
      }),
      { numRuns: 100 },
    )
  })

  it('f4_never_have_more_than_the_budget_outstanding_over_all_files', () => {
    let most = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 200, maxLength: 600 }), fc.nat(20), (events, late) => {
        const wire = new Wire(6 * MIB)
        play(wire, events.slice(0, late))
        // Two more files begin while the first has the whole budget.
        const more = new Wire(6 * MIB, 3 * MIB)
        for (const file of more.files) wire.scheduler.begin(file)
        play(wire, events.slice(late))
        most = Math.max(most, wire.most)
        expect(wire.most).toBeLessThanOrEqual(SMALLEST_BUDGET_BYTES)
      }),
      { numRuns: 20 },
    )
    expect(most).toBeGreaterThan(MIB)
  })

  it('f4_share_the_links_as_they_get_free', () => {
    const wire = new Wire(20 * MIB)
    wire.wants()
    const [late] = new Wire(20 * MIB).files
    if (!late) throw new Error('no file')
    wire.scheduler.begin(late)
    for (let step = 0; step < 64; step++) {
      wire.sends(4)
      wire.delivers(0, false)
      wire.wants()
    }
    expect(late.receiver.outstanding).toBeGreaterThanOrEqual(
      wire.scheduler.outstanding / 2 - 16 * CHUNK_BYTES,
    )
  })

  it('f6_send_nothing_durable_twice_when_the_link_dies', () => {
    const wire = new Wire(20 * MIB)
    for (let i = 0; i < 40; i++) {
      wire.wants()
      wire.sends(15)
      wire.delivers(0, false)
    }
    const durable = wire.files[0]?.receiver.received ?? 0
    wire.dies('relay')
    wire.carried = 0
    wire.finishes()
    expect(wire.carried).toBe(20 * MIB - durable)
  })

  it('f3_ignore_chunks_that_were_not_wanted_or_have_a_wrong_length', () => {
    const receiver = new Receiver(40_000)
    const arrived = (first: number, bytes: number) => receiver.arrived(first, bytes, ['link'])
    expect(arrived(0, CHUNK_BYTES)).toEqual([])
    receiver.want('link', SMALLEST_BUDGET_BYTES, SMALLEST_BUDGET_BYTES)
    expect(arrived(0, CHUNK_BYTES - 1)).toEqual([])
    expect(arrived(2, CHUNK_BYTES)).toEqual([])
    expect(arrived(3, 1)).toEqual([])
    expect(arrived(2, 40_000 - 2 * CHUNK_BYTES)).toEqual([{ first: 2, count: 1 }])
  })

  it('f2_an_empty_file_is_complete_from_the_start', () => {
    expect(chunkCount(0)).toBe(0)
    expect(new Receiver(0).isComplete).toBe(true)
  })

  it('f3_the_sender_ignores_wants_beyond_the_file', () => {
    const sender = new Sender(40_000)
    expect(sender.within({ first: 7, count: 4_294_967_295 })).toBeNull()
    expect(sender.within({ first: 1, count: 4_294_967_295 })).toEqual({ first: 1, count: 2 })
    sender.gave({ first: 1, count: 2 })
    expect(sender.sent).toBe(40_000 - CHUNK_BYTES)
  })
})
