/**
 * Decides what to want from one device, and on which of the links to it. It is told what is wanted, what arrived and
 * how long a round trip takes; each link has a window from its own measurements, and the device has one budget (F4).
 */
import { CHUNK_BYTES, LARGEST_BUDGET_BYTES, SMALLEST_BUDGET_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import { LinkMeter, SMALLEST_WINDOW_BYTES } from './link-meter'
import type { LinkKey, Receiver } from './receiver'

/** Files wanted from one device at the same time (F4); the others wait their turn. */
const MOST_AT_ONCE = 3
/**
 * Files that are still being read and keep no other from its turn (F4). No more, because each has its place on the disk, and a device
 * may say for ever that it reads.
 */
const MOST_READ = 3
/** A `want` is at most this part of the window, so that a link never runs dry while the next one is on its way. */
const WANT_PART = 1 / 4
/** A link gets no more of a file's end when the rest takes so many times longer there than on all links together. */
const LATE = 1.5

/** The receiving end of a transfer, as far as one device can give what it wants. */
export type Supplied = Pick<
  Receiver,
  | 'size'
  | 'received'
  | 'outstanding'
  | 'writing'
  | 'unasked'
  | 'waitingOn'
  | 'want'
  | 'wantTwice'
  | 'arrived'
  | 'lost'
>

/** An object with the receiving end of a transfer. */
export interface Receives {
  readonly receiver: Supplied
  /** Whether it counts among the files that are wanted of a device at once. Absent for one that does. */
  readonly takesTurn?: boolean
}

export interface Want<T> {
  readonly link: LinkKey
  readonly transfer: T
  readonly range: ChunkRange
}

/**
 * A link that may be wanted on: its meter, the bytes that are expected on it, but for those that are still being read, and the bytes
 * that it has room for.
 */
interface Candidate {
  readonly link: LinkKey
  readonly meter: LinkMeter
  readonly waiting: number
  readonly room: number
  /** Milliseconds until everything that is expected on it would be here. */
  readonly drained: number
}

export class Scheduler<T extends Receives> {
  readonly #active = new Set<T>()
  readonly #meters = new Map<LinkKey, LinkMeter>()
  /** The files of which the last that came was a sign of life, and the link on which it came: their bytes are still being read. */
  readonly #signs = new Map<T, LinkKey>()
  readonly #ordered: ReadonlyMap<LinkKey, number>

  /** @param ordered bytes of the largest window of each link that keeps the order of everything */
  constructor(ordered: ReadonlyMap<LinkKey, number> = new Map()) {
    this.#ordered = ordered
  }

  /** Whether another file may begin. */
  get hasTurn(): boolean {
    return this.turnsBeside([...this.#active].filter(({ takesTurn = true }) => takesTurn)) > 0
  }

  /** Returns how many files may begin besides some that have begun. */
  turnsBeside(begun: readonly T[]): number {
    const read = begun.filter((transfer) => this.#isRead(transfer))
    return MOST_AT_ONCE + Math.min(read.length, MOST_READ) - begun.length
  }

  /** Bytes wanted of this device, or here and not yet durable, over all files. */
  get outstanding(): number {
    return this.#writing + this.#expectedOn([...this.#meters.keys()])
  }

  /** Bytes that wait for the disk. */
  get #writing(): number {
    return this.#sum(({ receiver }) => receiver.writing)
  }

  begin(transfer: T): void {
    this.#active.add(transfer)
  }

  end(transfer: T): void {
    this.#active.delete(transfer)
    this.#signs.delete(transfer)
  }

  /** Whether what is expected of a file is still being read at the other end, which may take long. */
  #isRead(transfer: T): boolean {
    const link = this.#signs.get(transfer)
    return link !== undefined && transfer.receiver.waitingOn(link) > 0
  }

  /** What is known of a link. It is forgotten with the link. */
  meter(link: LinkKey): LinkMeter {
    const known = this.#meters.get(link)
    if (known) return known
    const fresh = new LinkMeter(this.#ordered.get(link))
    this.#meters.set(link, fresh)
    return fresh
  }

  /** Bytes that are not here yet, of all files that have begun. */
  get left(): number {
    return this.#sum(({ receiver }) => receiver.size - receiver.received)
  }

  /** Bytes a millisecond over some links together. */
  rate(links: readonly LinkKey[], now: number): number {
    return links.reduce((sum, link) => sum + (this.meter(link).rate(now) ?? 0), 0)
  }

  /** Shortest round trip of some links in milliseconds; null until one is measured. */
  roundTrip(links: readonly LinkKey[]): number | null {
    const known = links.flatMap((link) => this.meter(link).roundTrip ?? [])
    return known.length > 0 ? Math.min(...known) : null
  }

  /** Milliseconds for which a packet waits on the path of some links, behind others of them or of anybody else. */
  queuing(links: readonly LinkKey[]): number {
    const bases = links.flatMap((link) => this.meter(link).base ?? [])
    return bases.length > 0 ? (this.roundTrip(links) ?? 0) - Math.min(...bases) : 0
  }

  /** Whether chunks are still expected on a link. */
  isWaitingOn(link: LinkKey): boolean {
    return this.#waitingOn(link) > 0
  }

  /** Notes that chunks of a transfer arrived on a link, and returns those to write, as `Receiver.arrived` does. */
  arrived(transfer: T, link: LinkKey, first: number, byteLength: number, now: number): ChunkRange[] {
    if (byteLength > 0) this.#signs.delete(transfer)
    else if (this.#active.has(transfer)) this.#signs.set(transfer, link)
    const before = transfer.receiver.waitingOn(link)
    const fresh = transfer.receiver.arrived(first, byteLength, this.#meters.keys())
    const expected = before - transfer.receiver.waitingOn(link)
    if (expected > 0) this.meter(link).arrived(expected, now)
    return fresh
  }

  /** Makes everything expected on a link that is gone or silent wanted again (F6). */
  lost(link: LinkKey): void {
    for (const { receiver } of this.#active) receiver.lost(link)
    this.#meters.delete(link)
  }

  /**
   * Most bytes that may be wanted and not durable, over all links (F4): what their windows hold, or the least while much
   * of it waits for the disk.
   */
  budget(links: readonly LinkKey[], now: number): number {
    if (this.#writing > SMALLEST_BUDGET_BYTES / 2) return SMALLEST_BUDGET_BYTES
    const windows = links.reduce((sum, link) => sum + this.meter(link).window(now), 0)
    return Math.min(LARGEST_BUDGET_BYTES, Math.max(SMALLEST_BUDGET_BYTES, windows))
  }

  /**
   * Returns the next chunks to want, or null when all are asked for or there is no room. The link on which they would
   * be here first is taken, and of the files the one with the fewest bytes under way: so files share the links evenly,
   * and a single file gets them all. One whose bytes are still being read takes no room from the others meanwhile, and is not wanted
   * any further.
   * @param links the links that may be used, without those that are failing
   * @param isReady whether a file's bytes could be written now
   */
  want(links: readonly LinkKey[], isReady: (transfer: T) => boolean, now: number): Want<T> | null {
    const ready = [...this.#active].filter((transfer) => isReady(transfer) && !this.#isRead(transfer))
    ready.sort((a, b) => a.receiver.outstanding - b.receiver.outstanding)
    const candidates = links.map((link) => this.#candidate(link, now))
    candidates.sort((a, b) => a.drained - b.drained)
    // What is still expected on a link that is no longer used takes no room from the others.
    const moving = this.#writing + candidates.reduce((sum, { waiting }) => sum + waiting, 0)
    const all = this.#writing + this.#expectedOn(links)
    const left = Math.min(this.budget(links, now) - moving, LARGEST_BUDGET_BYTES - all)
    for (const candidate of candidates) {
      if (candidate.room <= 0) continue
      const want =
        this.#more(candidate, candidates, ready, left, now) ?? this.#again(candidate, candidates, ready, now)
      if (!want) continue
      candidate.meter.wanted(now)
      return { link: candidate.link, ...want }
    }
    return null
  }

  /** Wants chunks that were not asked for yet, unless they would be here sooner on another link. */
  #more(on: Candidate, all: readonly Candidate[], ready: readonly T[], left: number, now: number) {
    const unasked = ready.reduce((sum, { receiver }) => sum + receiver.unasked, 0)
    if (unasked === 0 || this.#isLate(on, all, unasked, now)) return null
    for (const transfer of ready) {
      const range = transfer.receiver.want(on.link, largestWant(on), Math.min(left, on.room))
      if (range) return { transfer, range }
    }
    return null
  }

  /** Whether a link would hold up the end: all links together would have the rest here long before it. */
  #isLate(on: Candidate, all: readonly Candidate[], unasked: number, now: number): boolean {
    if (unasked > LARGEST_BUDGET_BYTES) return false
    const piece = Math.min(unasked, largestWant(on))
    const takes = ({ meter, waiting }: Candidate) => meter.duration(waiting, piece, now)
    const soonest = Math.min(...all.map(takes))
    if (takes(on) <= soonest) return false
    const rate = all.reduce((sum, { meter }) => sum + (meter.rate(now) ?? 0), 0)
    const rest = unasked + all.reduce((sum, { waiting }) => sum + waiting, 0)
    return takes(on) > LATE * Math.max(soonest, rest / Math.max(rate, Number.MIN_VALUE))
  }

  /** Everything is asked for: an idle link takes over the last of what is expected on the slowest. */
  #again(on: Candidate, all: readonly Candidate[], ready: readonly T[], now: number) {
    if (on.waiting > 0 || ready.some(({ receiver }) => receiver.unasked > 0)) return null
    const slowest = all.findLast(({ link, waiting }) => link !== on.link && waiting > 0)
    if (!slowest || 2 * on.meter.duration(0, largestWant(on), now) > slowest.drained) return null
    for (const transfer of ready) {
      const range = transfer.receiver.wantTwice(slowest.link, on.link, largestWant(on))
      if (range) return { transfer, range }
    }
    return null
  }

  #candidate(link: LinkKey, now: number): Candidate {
    const meter = this.meter(link)
    const waiting = this.#sum((one) => (this.#isRead(one) ? 0 : one.receiver.waitingOn(link)))
    if (waiting === 0) meter.idle(now)
    const drained = waiting === 0 ? 0 : meter.duration(waiting, 0, now)
    return { link, meter, waiting, room: meter.window(now) - waiting, drained }
  }

  /** Bytes that are expected on some links together. */
  #expectedOn(links: readonly LinkKey[]): number {
    return links.reduce((sum, link) => sum + this.#waitingOn(link), 0)
  }

  #waitingOn(link: LinkKey): number {
    return this.#sum(({ receiver }) => receiver.waitingOn(link))
  }

  #sum(of: (transfer: T) => number): number {
    let bytes = 0
    for (const transfer of this.#active) bytes += of(transfer)
    return bytes
  }
}

/** Bytes of the largest `want` on a link. */
function largestWant({ room, waiting }: Candidate): number {
  return Math.max(SMALLEST_WINDOW_BYTES / 2, (room + waiting) * WANT_PART)
}

/** Bytes of the chunks that a range counts. */
export function bytesOf({ count }: ChunkRange): number {
  return count * CHUNK_BYTES
}
