/**
 * Chooses what to want of each device that gives pieces of a file (F20). While only the device that shared the file gives
 * them, they are wanted in their order. As soon as others receive it too, those pieces come first that the fewest of them
 * have, so that the device that shared it gives each piece about once.
 */
import { CHUNK_BYTES, type DeviceId } from './bindings'
import { type ChunkRange, ChunkSet } from './chunk-set'
import { chunksOf, PIECE_BYTES, PIECE_CHUNKS, pieceCount, piecesOf } from './pieces'
import type { LinkKey, Receiver } from './receiver'

/** A claim that is not repeated is void after so many milliseconds. */
const CLAIM_MS = 8_000
/** A piece that a device claims for longer does not reach it, in milliseconds: it is not left to it. */
const LONGEST_CLAIM_MS = 30_000
/** Pieces that a device may claim: those of the largest window (F4), each begun or half done. */
const MOST_CLAIMED = 64
/** Chunks have numbers of 32 bits, so no file has more pieces. */
const MOST_PIECES = 2 ** 32 / PIECE_CHUNKS
/** A piece that another device gives or gets is chosen after all those that nobody does. */
const MANY = 1_000

export class Swarm {
  readonly #total: number
  /** The pieces that each other device gives. */
  readonly #others = new Map<DeviceId, ChunkSet>()
  /** How many others give each piece. It has room for all pieces once one of them is given. */
  #counts = new Uint16Array()
  /** The pieces that each other device gets from the origin, since when it says so, and when it last did, in milliseconds. */
  readonly #claims = new Map<
    DeviceId,
    { readonly pieces: ReadonlyMap<number, number>; readonly at: number }
  >()
  #claimed: Set<number> = new Set()
  /** Whether the origin may be asked for what others claim. */
  #isHasty = false
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
  }

  /** The devices that receive the file too, or have it. */
  get others(): Iterable<DeviceId> {
    return this.#others.keys()
  }

  /** Another device gives pieces, besides those that it gave before. With none, it receives the file too. */
  gives(device: DeviceId, pieces: readonly ChunkRange[]): void {
    const known = this.#others.get(device) ?? new ChunkSet()
    this.#others.set(device, known)
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
    if (this.#claims.delete(device)) this.#claimed.clear()
    this.#at.delete(device)
  }

  /** Another device gets pieces from the origin. These are all of them: what it claimed before is void. */
  claims(device: DeviceId, claimed: readonly ChunkRange[], now: number): void {
    if (!this.#others.has(device)) return
    const before = this.#claims.get(device)?.pieces
    const pieces = new Map<number, number>()
    for (const { first, count } of claimed) {
      const end = Math.min(first + count, this.#total)
      for (let piece = first; piece < end && pieces.size < MOST_CLAIMED; piece++)
        pieces.set(piece, before?.get(piece) ?? now)
    }
    this.#claims.set(device, { pieces, at: now })
    this.#holdClaims(now)
  }

  /** Finds the pieces that others get from the origin, as far as what they say may be believed. */
  #holdClaims(now: number): void {
    this.#claimed = new Set()
    for (const { pieces } of this.#claims.values())
      for (const [piece, since] of pieces) if (now - since <= LONGEST_CLAIM_MS) this.#claimed.add(piece)
  }

  /**
   * Forgets claims that were not repeated.
   * @param isIdle whether the origin has been idle for a while: then one piece is wanted of it, though others claim all that
   * is left
   */
  look(isIdle: boolean, now: number): void {
    for (const [device, { at }] of this.#claims) if (now - at > CLAIM_MS) this.#claims.delete(device)
    this.#holdClaims(now)
    this.#isHasty = isIdle
  }

  #count({ first, count }: ChunkRange, by: number): void {
    for (let piece = first; piece < first + count; piece++)
      this.#counts[piece] = (this.#counts[piece] ?? 0) + by
  }

  /** A piece came wrong and nobody knows from whom, or nobody knows whether it is right. */
  suspects(piece: number): void {
    this.#suspect.add({ first: piece, count: 1 })
  }

  /** Bytes that a device could give and that were not asked for yet. */
  unasked(device: DeviceId): number {
    if (device === this.origin) return this.receiver.unasked
    let bytes = 0
    for (const { first, count } of this.#given(device)) {
      const range = { first: first * PIECE_CHUNKS, count: count * PIECE_CHUNKS }
      bytes += this.receiver.gaps(range).reduce((sum, { count }) => sum + count * CHUNK_BYTES, 0)
    }
    return bytes
  }

  /** Returns the next chunks to want of a device, at most `limit`; null when it could give none. */
  next(device: DeviceId, limit: number): ChunkRange | null {
    const isOrigin = device === this.origin
    if (isOrigin && this.#others.size === 0) return this.receiver.firstGap(limit)
    const piece = this.#continues(device) ?? this.#choose(device)
    if (piece === null) return null
    if (isOrigin) this.#isHasty = false
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
    return this.#given(device).some(({ first, count }) => piece >= first && piece < first + count)
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
    const { pieces, count } = this.#rarest(device)
    // What others get from the origin, they give soon: it would only be slower for them.
    if (device === this.origin && !this.#isHasty && this.#mustWait(count)) return null
    const behind = (this.#at.get(device) ?? Number.NaN) + 1
    return pieces.includes(behind) ? behind : (pieces[Math.floor(this.random() * pieces.length)] ?? null)
  }

  /** The pieces that the fewest others give or get, and how many do. The head of the file comes before all others. */
  #rarest(device: DeviceId): { pieces: number[]; count: number } {
    const taken = this.#taken(device)
    let rarest = { pieces: [] as number[], count: Number.POSITIVE_INFINITY }
    for (const piece of this.#candidates(device)) {
      if (piece * PIECE_BYTES < this.head) return { pieces: [piece], count: 0 }
      const count = (this.#counts[piece] ?? 0) + (taken.has(piece) ? MANY : 0)
      if (count < rarest.count) rarest = { pieces: [], count }
      if (count === rarest.count) rarest.pieces.push(piece)
    }
    return rarest
  }

  /** Whether the origin still gives pieces to others that nobody else has, and has none for this device. */
  #mustWait(fewest: number): boolean {
    return fewest > 0 && this.#claimed.size > 0
  }

  /**
   * Pieces that are being wanted of other devices, so that two give chunks of one only at the end. Of the origin, also
   * those that others get there.
   */
  #taken(device: DeviceId): ReadonlySet<number> {
    const taken = new Set([...this.#at].flatMap(([other, piece]) => (other === device ? [] : [piece])))
    if (device !== this.origin) return taken
    for (const piece of this.#claimed) taken.add(piece)
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
