/**
 * Measures one link: how fast it delivers what is wanted on it, and how long its round trip is. From both follows its
 * window, which is how much may be wanted there and not have arrived (F4). The model is that of BBR
 * (draft-ietf-ccwg-bbr): the rate is measured while the link is busy, the round trip while little waits on it.
 */
import { CHUNK_BYTES, LARGEST_BUDGET_BYTES } from './bindings'

/** Bytes of the largest chunk frame that is sent. */
const FRAME_BYTES = 4 * CHUNK_BYTES
/** A window never holds less: one frame is under way while the next is asked for. */
export const SMALLEST_WINDOW_BYTES = 2 * FRAME_BYTES
/**
 * The window holds this many times what the link carries in a round trip, so that a link that becomes faster shows it.
 */
const GAIN = 2
/**
 * The same on a link that keeps the order of everything. A lost packet holds back there what has arrived behind it for a
 * round trip more, in which nothing new is wanted: with 2, such a link stayed at a tenth of what it could carry.
 */
const ORDERED_GAIN = 4
/**
 * The most time that its window covers, in milliseconds, before the gain. An answer waits there behind what is wanted, so
 * that each measured round trip could be longer than the last.
 */
const MOST_ORDERED_MS = 500
/** The least time that a window covers, in milliseconds: what a busy event loop and a disk may take to ask for more. */
const LEAST_COVERED_MS = 50
/** The least time over which a rate is measured, in milliseconds. */
const LEAST_SPAN_MS = 100
/** The least number of frames over which a rate is measured. A slow link delivers one in a second. */
const LEAST_ARRIVALS = 4
/** How often the round trip is measured anew, in milliseconds. A path may change in the middle of a file. */
const PROBE_INTERVAL_MS = 2_000
/** How many measurements of the round trip count; the shortest of them is taken. */
const PROBES_KEPT = 2
/**
 * The shortest round trip of this time and of as long before it is taken for that of an empty path, in milliseconds. BBR
 * looks at 10 s too (draft-ietf-ccwg-bbr, MinRTTFilterLen). A path that has become longer is known by then.
 */
const BASE_MS = 10_000

interface Arrival {
  /** Milliseconds for which the link had been busy. */
  readonly at: number
  /** Bytes that had arrived by then. */
  readonly bytes: number
}

export class LinkMeter {
  /** The last arrivals, oldest first. The first entry is where the measuring began. */
  #arrivals: Arrival[] = [{ at: 0, bytes: 0 }]
  /** Milliseconds for which the link was busy before it became so last. */
  #busyMs = 0
  /** Since when something is wanted here, in milliseconds; null while nothing is. */
  #busySince: number | null = null
  #roundTrips: number[] = []
  /** Shortest round trips of the last spans of `BASE_MS`, the newest last, and when that span began. */
  #bases: number[] = []
  #baseSince = Number.NEGATIVE_INFINITY
  /** When the round trip was last asked for, in milliseconds. */
  #probedAt = Number.NEGATIVE_INFINITY
  #isProbing = false

  /** @param ordered bytes of the largest window of a link that keeps the order of everything, as TCP does */
  constructor(readonly ordered: number | null = null) {}

  /** Shortest of the last round trips in milliseconds; null until one is measured. */
  get roundTrip(): number | null {
    return this.#roundTrips.length > 0 ? Math.min(...this.#roundTrips) : null
  }

  /** Round trip of the path when nothing waits on it, in milliseconds; null until one is measured. */
  get base(): number | null {
    return this.#bases.length > 0 ? Math.min(...this.#bases) : null
  }

  /** Something is wanted on the link. */
  wanted(now: number): void {
    this.#busySince ??= now
  }

  /** Bytes that were wanted on the link have arrived on it. */
  arrived(bytes: number, now: number): void {
    // The first chunk took a round trip, and what the sender needed to read it.
    if (this.#roundTrips.length === 0 && this.#busySince !== null) this.#roundTrips = [now - this.#busySince]
    this.#arrivals.push({ at: this.#busyAt(now), bytes: this.#arrived + bytes })
    this.#forget()
  }

  /** Nothing more is wanted on the link. The time until something is says nothing about its rate. */
  idle(now: number): void {
    this.#busyMs = this.#busyAt(now)
    this.#busySince = null
  }

  get #arrived(): number {
    return this.#arrivals.at(-1)?.bytes ?? 0
  }

  /** Bytes a millisecond; null until enough has arrived. */
  rate(now: number): number | null {
    const last = this.#arrivals.at(-1)
    const first = this.#arrivals[0]
    if (!last || !first || this.#arrivals.length <= LEAST_ARRIVALS) return null
    return (last.bytes - first.bytes) / Math.max(1, this.#busyAt(now) - first.at)
  }

  /** Most bytes that may be wanted here and not have arrived. */
  window(now: number): number {
    const rate = this.rate(now)
    // It never grows by more than what arrived, as in the slow start of TCP (RFC 5681, section 3.1).
    const most = Math.min(this.ordered ?? LARGEST_BUDGET_BYTES, SMALLEST_WINDOW_BYTES + this.#arrived)
    if (rate === null) return most
    return Math.min(most, Math.max(SMALLEST_WINDOW_BYTES, rate * this.#covered))
  }

  /** Milliseconds of the link's rate that its window holds. */
  get #covered(): number {
    const roundTrip = Math.min(
      this.roundTrip ?? 0,
      this.ordered === null ? Number.POSITIVE_INFINITY : MOST_ORDERED_MS,
    )
    const least = Math.max(roundTrip, LEAST_COVERED_MS)
    // What waits on the link makes the round trip longer. For the measurement the link holds no more than it carries.
    if (this.#isProbing) return least
    if (this.ordered === null) return GAIN * least
    // On a short way little is held back, and a text would wait behind everything that is under way for that.
    return Math.max(GAIN * LEAST_COVERED_MS, ORDERED_GAIN * roundTrip)
  }

  /** Returns how long `bytes` more would take to arrive after `waiting` bytes, in milliseconds. */
  duration(waiting: number, bytes: number, now: number): number {
    // A link of which little is known is taken for fast, and for the slower the longer nothing comes.
    const rate = this.rate(now) ?? SMALLEST_WINDOW_BYTES / Math.max(LEAST_COVERED_MS, this.#busyAt(now))
    return (waiting + bytes) / Math.max(rate, Number.MIN_VALUE) + (this.roundTrip ?? 0)
  }

  /** Whether the round trip is due to be measured. The window is smaller from now until the answer. */
  probe(now: number): boolean {
    if (now - this.#probedAt < PROBE_INTERVAL_MS) return false
    this.#probedAt = now
    this.#isProbing = true
    return true
  }

  /** The answer to a probe has arrived. */
  answered(roundTrip: number, now: number): void {
    this.#isProbing = false
    this.#roundTrips = [...this.#roundTrips, roundTrip].slice(-PROBES_KEPT)
    if (now - this.#baseSince >= BASE_MS) {
      this.#bases = [...this.#bases, roundTrip].slice(-2)
      this.#baseSince = now
    } else this.#bases.push(Math.min(this.#bases.pop() ?? roundTrip, roundTrip))
  }

  #busyAt(now: number): number {
    return this.#busyMs + (this.#busySince === null ? 0 : now - this.#busySince)
  }

  /** Forgets the arrivals that are older than the span over which the rate is measured. */
  #forget(): void {
    const newest = this.#arrivals.at(-1)?.at ?? 0
    const span = Math.max(LEAST_SPAN_MS, 2 * (this.roundTrip ?? 0))
    while (this.#arrivals.length > LEAST_ARRIVALS + 1 && newest - (this.#arrivals[1]?.at ?? newest) >= span)
      this.#arrivals.shift()
  }
}
