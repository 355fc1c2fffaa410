/** For tests: a sender, a receiver and the links between them, in simulated time. */
import type { ChunkRange } from './chunk-set'
import { chunkCount, Receiver, rangeBytes } from './receiver'
import { Scheduler } from './scheduler'
import { numbersFrom } from './seeded-numbers'
import { SendQueue } from './send-queue'

export interface SimulatedLink {
  /** Bytes a millisecond. */
  readonly rate: number
  /** Milliseconds from one end to the other. */
  readonly delay: number
  /** Most milliseconds that a frame is late; each is by a part of it. */
  readonly jitter?: number
  /** When everything on the link is lost and nothing more goes, in milliseconds. */
  readonly dies?: number
  /** What the link becomes, and when. */
  readonly becomes?: { readonly at: number; readonly rate: number; readonly delay: number }
  /** Answers with chunks that nobody wanted. */
  readonly lies?: boolean
}

export interface Outcome {
  /** Milliseconds until the files were complete. */
  readonly took: number
  /** Bytes that went over the links, by link. */
  readonly carried: readonly number[]
  /** Most bytes that were wanted and were not durable. */
  readonly most: number
  /** Bytes that were durable at each whole 100 ms. */
  readonly progress: readonly number[]
}

class SimulatedFile {
  readonly receiver: Receiver
  constructor(readonly size: number) {
    this.receiver = new Receiver(size)
  }
}

/** The engine looks at its links so often, in milliseconds. */
const TICK_MS = 250
const FRAME_CHUNKS = 4
/** Silence after which a link is given up, in milliseconds. */
const DEAD_MS = 8_000
const LONGEST_MS = 3_600_000

export class Simulation {
  readonly #files: readonly SimulatedFile[]
  readonly #scheduler = new Scheduler<SimulatedFile>()
  readonly #queues: SendQueue<SimulatedFile>[]
  readonly #carried: number[]
  readonly #isSending: boolean[]
  readonly #heardAt: number[]
  readonly #events: { at: number; order: number; run: () => void }[] = []
  readonly #progress: number[] = []
  #now = 0
  #order = 0
  #most = 0
  /** Returns a number from 0 to below 1. */
  readonly #chance = numbersFrom(7)

  constructor(
    readonly links: readonly SimulatedLink[],
    sizes: readonly number[],
  ) {
    this.#files = sizes.map((size) => new SimulatedFile(size))
    for (const file of this.#files) this.#scheduler.begin(file)
    this.#queues = links.map(() => new SendQueue())
    this.#carried = links.map(() => 0)
    this.#isSending = links.map(() => false)
    this.#heardAt = links.map(() => 0)
  }

  run(): Outcome {
    this.#tick()
    this.#measure()
    while (!this.#isComplete && this.#now < LONGEST_MS) {
      const next = this.#earliest()
      this.#now = next.at
      next.run()
    }
    if (!this.#isComplete) throw new Error('The files did not become complete.')
    return { took: this.#now, carried: this.#carried, most: this.#most, progress: this.#progress }
  }

  get #isComplete(): boolean {
    return this.#files.every(({ receiver }) => receiver.isComplete)
  }

  #earliest() {
    let best = 0
    for (let i = 1; i < this.#events.length; i++) {
      const [a, b] = [this.#events[i], this.#events[best]]
      if (a && b && (a.at < b.at || (a.at === b.at && a.order < b.order))) best = i
    }
    const [event] = this.#events.splice(best, 1)
    if (!event) throw new Error('Nothing happens any more.')
    return event
  }

  #after(milliseconds: number, run: () => void): void {
    this.#events.push({ at: this.#now + milliseconds, order: this.#order++, run })
  }

  #is(at: number): { rate: number; delay: number; isAlive: boolean; jitter: number } {
    const link = this.links[at]
    if (!link) throw new Error('There is no such link.')
    const { rate, delay } = link.becomes && this.#now >= link.becomes.at ? link.becomes : link
    return {
      rate,
      delay,
      isAlive: this.#now < (link.dies ?? Number.POSITIVE_INFINITY),
      jitter: link.jitter ?? 0,
    }
  }

  #measure(): void {
    this.#progress.push(this.#files.reduce((sum, { receiver }) => sum + receiver.received, 0))
    this.#after(100, () => this.#measure())
  }

  #tick(): void {
    this.links.forEach((_, at) => {
      const link = String(at)
      if (this.#scheduler.isWaitingOn(link) && this.#now - (this.#heardAt[at] ?? 0) > DEAD_MS) {
        this.#scheduler.lost(link)
        this.#heardAt[at] = this.#now
      }
      const { delay, isAlive } = this.#is(at)
      if (isAlive && this.#scheduler.isWaitingOn(link) && this.#scheduler.meter(link).probe(this.#now)) {
        const sent = this.#now
        this.#after(2 * delay, () => this.#scheduler.meter(link).answered(this.#now - sent, this.#now))
      }
    })
    this.#refill()
    this.#after(TICK_MS, () => this.#tick())
  }

  #refill(): void {
    // Nobody knows yet which of them are dead.
    const links = this.links.map((_, at) => String(at))
    for (;;) {
      const want = this.#scheduler.want(links, () => true, this.#now)
      if (!want) return
      this.#most = Math.max(this.#most, this.#scheduler.outstanding)
      const at = Number(want.link)
      if (!this.#is(at).isAlive) continue
      this.#after(this.#is(at).delay, () => {
        this.#queues[at]?.want(want.transfer, want.range)
        this.#send(at)
      })
    }
  }

  #send(at: number): void {
    const { rate, delay, isAlive, jitter } = this.#is(at)
    if (this.#isSending[at] || !isAlive) return
    const turn = this.#queues[at]?.next(FRAME_CHUNKS)
    if (!turn) return
    this.#isSending[at] = true
    const bytes = rangeBytes(turn.range, turn.transfer.size)
    this.#after(bytes / rate, () => {
      this.#queues[at]?.sent(turn)
      this.#isSending[at] = false
      this.#carried[at] = (this.#carried[at] ?? 0) + bytes
      this.#after(delay + jitter * this.#chance(), () => this.#arrive(at, turn.transfer, turn.range))
      this.#send(at)
    })
  }

  #arrive(at: number, file: SimulatedFile, { first, count }: ChunkRange): void {
    if (!this.#is(at).isAlive) return
    const lies = this.links[at]?.lies ?? false
    const start = lies ? (first * 31) % chunkCount(file.size) : first
    const bytes = rangeBytes(
      { first: start, count: Math.min(count, chunkCount(file.size) - start) },
      file.size,
    )
    for (const fresh of this.#scheduler.arrived(file, String(at), start, bytes, this.#now)) {
      this.#heardAt[at] = this.#now
      file.receiver.wrote(fresh)
    }
    this.#refill()
  }
}

/** The part of what all links carry together that the files had. */
export function share(links: readonly SimulatedLink[], size: number, { took }: Outcome): number {
  return size / took / links.reduce((sum, { rate }) => sum + rate, 0)
}

/** Bytes that went over the links beyond those of the files, as a part of them. */
export function repeated(size: number, { carried }: Outcome): number {
  return carried.reduce((sum, one) => sum + one, 0) / size - 1
}
