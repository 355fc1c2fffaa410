/**
 * Chooses what to want of each device that gives pieces of a file (F20). While only the device that shared the file gives
 * them, they are wanted in their order. As soon as others receive it too, those pieces come first that the fewest of them
 * have, so that the device that shared it gives each piece about once.
 */
import { CHUNK_BYTES, type DeviceId, LARGEST_BUDGET_BYTES } from './bindings'
import { type ChunkRange, ChunkSet } from './chunk-set'
import { Claims } from './claims'
import { chunksOf, PIECE_BYTES, PIECE_CHUNKS, pieceCount, piecesOf } from './pieces'
import type { LinkKey, Receiver } from './receiver'

/** Chunks have numbers of 32 bits, so no file has more pieces. */
const MOST_PIECES = 2 ** 32 / PIECE_CHUNKS
/** A piece that another device gives or gets is chosen after all those that nobody does. */
const MANY = 1_000
/** Pieces of which one is chosen at random before all are looked through again. */
const MOST_CHOICES = 256
/** Most pieces that are wanted of an idle origin at once though others have them or get them. */
const MOST_HASTY = 64

/** The pieces that the fewest others give or get, or some of them. */
interface Choices {
  /** In any order. The last one is chosen first. */
  readonly pieces: number[]
  /** How many others give or get each. */
  readonly count: number
}

export class Swarm {
  readonly #total: number
  /** The pieces that each other device gives. */
  readonly #others = new Map<DeviceId, ChunkSet>()
  /** How many others give each piece. It has room for all pieces once one of them is given. */
  #counts = new Uint16Array()
  readonly #claims: Claims
  /** How many pieces the origin may be asked for that others have or get, and how many when it is idle the next time. */
  #haste = { pieces: 0, next: 1 }
  /** What was found for each device since the last change, because finding it takes long in a large file. */
  readonly #choices = new Map<DeviceId, Choices>()
  /** The piece that is being wanted of each device. */
  readonly #at = new Map<DeviceId, number>()
  /** Pieces that others may have given wrong: from now on the device that shared the file gives them, or its stored copy. */
  readonly #suspect = new ChunkSet()

  /**
   * @param origin the device that shared the file
   * @param head bytes at the start of the file that are wanted first, and of the origin alone: they are used unchecked
   * @param random a number from 0 to below 1
   */
  constructor(
    readonly receiver: Receiver,
    readonly origin: DeviceId,
    readonly head: number,
    readonly random: () => number,
  ) {
    this.#total = pieceCount(receiver.size)
    this.#claims = new Claims(this.#total, (piece) => this.#isOpen(piece))
  }

  /** The devices that receive the file too, or have it. */
  get others(): Iterable<DeviceId> {
    return this.#others.keys()
  }

  /** Another device gives pieces, besides those that it gave before. With none, it receives the file too. */
  gives(device: DeviceId, pieces: readonly ChunkRange[]): void {
    const known = this.#others.get(device) ?? new ChunkSet()
    this.#others.set(device, known)
    this.#choices.clear()
    if (pieces.length === 0 || this.#total > MOST_PIECES) return
    if (this.#counts.length === 0) this.#counts = new Uint16Array(this.#total)
    for (const { first, count } of pieces) {
      const range = { first, count: Math.min(count, this.#total - first) }
      if (range.count <= 0) continue
      for (const part of known.missing(range)) this.#count(part, 1)
      known.add(range)
    }
  }

  /** A device gives nothing any more. */
  gone(device: DeviceId): void {
    for (const range of this.#others.get(device)?.ranges() ?? []) this.#count(range, -1)
    this.#others.delete(device)
    this.#claims.end(device)
    this.#at.delete(device)
    this.#choices.clear()
  }

  /** Another device gets pieces from the origin. These are all of them: what it claimed before is void. */
  claims(device: DeviceId, claimed: readonly ChunkRange[], now: number): void {
    if (!this.#others.has(device)) return
    this.#claims.said(device, claimed, now)
    this.#choices.clear()
  }

  /**
   * Called several times a second.
   * @param isIdle whether the origin has been idle for a while: then a piece is wanted of it, though others have or get all
   * that is left, and each further time twice as many, because those others are slow
   */
  look(isIdle: boolean, now: number): void {
    this.#claims.look(now)
    this.#choices.clear()
    if (!isIdle || this.#haste.pieces > 0) return
    const { next } = this.#haste
    this.#haste = { pieces: next, next: Math.min(2 * next, MOST_HASTY) }
  }

  #count({ first, count }: ChunkRange, by: number): void {
    for (let piece = first; piece < first + count; piece++)
      this.#counts[piece] = (this.#counts[piece] ?? 0) + by
  }

  /** A piece came wrong and nobody knows from whom, or nobody knows whether it is right. */
  suspects(piece: number): void {
    this.#suspect.add({ first: piece, count: 1 })
    this.#choices.clear()
  }

  /** Bytes that a device could give and that were not asked for yet; where it is much, at least the largest budget (F4). */
  unasked(device: DeviceId): number {
    if (device === this.origin) return this.receiver.unasked
    let bytes = 0
    for (const { first, count } of this.#given(device)) {
      const range = { first: first * PIECE_CHUNKS, count: count * PIECE_CHUNKS }
      bytes += this.receiver.gaps(range).reduce((sum, { count }) => sum + count * CHUNK_BYTES, 0)
      if (bytes > LARGEST_BUDGET_BYTES) return bytes
    }
    return bytes
  }

  /** Returns the next chunks to want of a device, at most `limit`; null when it could give none. */
  next(device: DeviceId, limit: number): ChunkRange | null {
    const isOrigin = device === this.origin
    if (isOrigin && this.#others.size === 0) return this.receiver.firstGap(limit)
    const piece = this.#continues(device) ?? this.#choose(device)
    if (piece === null) return null
    this.#at.set(device, piece)
    const [gap] = this.receiver.gaps(chunksOf(piece, this.receiver.size))
    return gap ? { first: gap.first, count: Math.min(gap.count, limit) } : null
  }

  /** The piece that is being wanted of a device, if chunks of it were not asked for yet. */
  #continues(device: DeviceId): number | null {
    const piece = this.#at.get(device)
    return piece !== undefined && this.#isOpen(piece) && this.#gives(device, piece) ? piece : null
  }

  /** A piece is open while chunks of it were not asked for. */
  #isOpen(piece: number): boolean {
    return this.receiver.gaps(chunksOf(piece, this.receiver.size)).length > 0
  }

  #gives(device: DeviceId, piece: number): boolean {
    if (device === this.origin) return true
    const isOne = (set: ChunkSet | undefined) => set?.within({ first: piece, count: 1 }).length === 1
    return piece * PIECE_BYTES >= this.head && isOne(this.#others.get(device)) && !isOne(this.#suspect)
  }

  /** The pieces that a device gives. */
  #given(device: DeviceId): readonly ChunkRange[] {
    if (device === this.origin) return [{ first: 0, count: this.#total }]
    const head = Math.ceil(this.head / PIECE_BYTES)
    const given = this.#others.get(device)?.ranges() ?? []
    return given
      .flatMap((range) => this.#suspect.missing(range))
      .flatMap(({ first, count }) => {
        const from = Math.max(first, head)
        return first + count > from ? [{ first: from, count: first + count - from }] : []
      })
  }

  /**
   * Chooses one of the pieces that the fewest others give. It is the one behind the last if that is among them, so that
   * the disk is written in order; else any, so that several devices do not choose the same.
   */
  #choose(device: DeviceId): number | null {
    const taken = this.#taken(device)
    const before = this.#choices.get(device)
    const known = before && this.#isLeft(before, taken) ? before : this.#rarest(device, taken)
    this.#choices.set(device, known)
    if (this.#mustWait(device, known)) return null
    if (device === this.origin) this.#asksOrigin(known)
    const behind = (this.#at.get(device) ?? this.#total) + 1
    const isBehind = this.#isOpen(behind) && this.#gives(device, behind)
    if (isBehind && this.#countOf(behind, taken) === known.count) return behind
    return known.pieces.at(-1) ?? null
  }

  /** Whether any of the pieces that were found can still be chosen. Those behind it in the list are let go. */
  #isLeft({ pieces, count }: Choices, taken: ReadonlySet<number>): boolean {
    for (let last = pieces.at(-1); last !== undefined; last = pieces.at(-1)) {
      if (this.#isOpen(last) && (count >= MANY || !taken.has(last))) return true
      pieces.pop()
    }
    return false
  }

  /** What others get from the origin, they give soon: it would only be slower for them to ask for it too. */
  #mustWait(device: DeviceId, { count }: Choices): boolean {
    const isHasty = this.#haste.pieces > 0
    return device === this.origin && count > 0 && this.#claims.held.size > 0 && !isHasty
  }

  #asksOrigin({ count }: Choices): void {
    const { pieces, next } = this.#haste
    this.#haste = count > 0 ? { pieces: Math.max(0, pieces - 1), next } : { pieces: 0, next: 1 }
  }

  /** Finds pieces that the fewest others give or get. The head of the file comes before all others. */
  #rarest(device: DeviceId, taken: ReadonlySet<number>): Choices {
    let [pieces, least, seen] = [[] as number[], Number.POSITIVE_INFINITY, 0]
    for (const piece of this.#candidates(device)) {
      if (piece * PIECE_BYTES < this.head) return { pieces: [piece], count: 0 }
      const count = this.#countOf(piece, taken)
      if (count > least) continue
      if (count < least) [pieces, least, seen] = [[], count, 0]
      seen += 1
      // Each is as likely to be among them as any other, and to stand in any place (Vitter 1985, algorithm R).
      const at = Math.floor(this.random() * seen)
      const moved = pieces[at]
      if (pieces.length < MOST_CHOICES && moved !== undefined) pieces.push(moved)
      if (at < MOST_CHOICES) pieces[at] = piece
    }
    return { pieces, count: least }
  }

  #countOf(piece: number, taken: ReadonlySet<number>): number {
    return (this.#counts[piece] ?? 0) + (taken.has(piece) ? MANY : 0)
  }

  /**
   * Pieces that are being wanted of other devices, so that two give chunks of one only at the end. Of the origin, also
   * those that others get there.
   */
  #taken(device: DeviceId): ReadonlySet<number> {
    const taken = new Set([...this.#at].flatMap(([other, piece]) => (other === device ? [] : [piece])))
    if (device !== this.origin) return taken
    for (const piece of this.#claims.held) taken.add(piece)
    return taken
  }

  *#candidates(device: DeviceId): Generator<number> {
    for (const { first, count } of this.#given(device)) {
      const range = { first: first * PIECE_CHUNKS, count: count * PIECE_CHUNKS }
      let last = -1
      for (const gap of this.receiver.gaps(range)) {
        for (const piece of piecesOf(gap)) {
          if (piece > last) yield piece
          last = piece
        }
      }
    }
  }
}

/** What one device can give of a file, as the scheduler of that device sees the receiver. */
export class Supply {
  constructor(
    readonly swarm: Swarm,
    readonly device: DeviceId,
  ) {}

  get #receiver(): Receiver {
    return this.swarm.receiver
  }

  get size(): number {
    return this.#receiver.size
  }

  get received(): number {
    return this.#receiver.received
  }

  get outstanding(): number {
    return this.#receiver.outstanding
  }

  get writing(): number {
    return this.#receiver.writing
  }

  get unasked(): number {
    return this.swarm.unasked(this.device)
  }

  waitingOn(link: LinkKey): number {
    return this.#receiver.waitingOn(link)
  }

  want(link: LinkKey, most: number, room: number): ChunkRange | null {
    return this.#receiver.want(link, most, room, (limit) => this.swarm.next(this.device, limit))
  }

  wantTwice(slow: LinkKey, fast: LinkKey, most: number): ChunkRange | null {
    return this.#receiver.wantTwice(slow, fast, most)
  }

  arrived(first: number, byteLength: number, links: Iterable<LinkKey>): ChunkRange[] {
    return this.#receiver.arrived(first, byteLength, links)
  }

  lost(link: LinkKey): void {
    this.#receiver.lost(link)
  }
}
