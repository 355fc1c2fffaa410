/** The pieces that other devices get from the one that shared the file, as far as what they say may be believed (F20). */
import type { DeviceId } from './bindings'
import type { ChunkRange } from './chunk-set'

/** A claim that is not repeated is void after so many milliseconds. */
const CLAIM_MS = 8_000
/** A piece that a device claims for longer does not reach it, in milliseconds: it is not left to it. */
const LONGEST_CLAIM_MS = 30_000
/** Pieces that a device may claim: those of the largest window (F4), each begun or half done. */
const MOST_CLAIMED = 64

interface Claimed {
  /** Since when each piece is claimed, in milliseconds. */
  readonly pieces: ReadonlyMap<number, number>
  /** When the device said so last, in milliseconds. */
  readonly at: number
}

export class Claims {
  readonly #by = new Map<DeviceId, Claimed>()
  #held: ReadonlySet<number> = new Set()

  /**
   * @param total pieces of the file
   * @param isLacking whether this device still has to ask for a piece: others may get whatever else, as nobody waits for it
   */
  constructor(
    readonly total: number,
    readonly isLacking: (piece: number) => boolean,
  ) {}

  /** The pieces that were claimed at the last look. */
  get held(): ReadonlySet<number> {
    return this.#held
  }

  /** A device claims pieces. These are all of them: what it claimed before is void. */
  said(device: DeviceId, claimed: readonly ChunkRange[], now: number): void {
    const before = this.#by.get(device)?.pieces
    const pieces = new Map<number, number>()
    for (const { first, count } of claimed) {
      const end = Math.min(first + count, this.total)
      for (let piece = first; piece < end && pieces.size < MOST_CLAIMED; piece++)
        pieces.set(piece, before?.get(piece) ?? now)
    }
    this.#by.set(device, { pieces, at: now })
    this.look(now)
  }

  /** A device is gone. Its claims are void from the next look on. */
  end(device: DeviceId): void {
    this.#by.delete(device)
  }

  /** Finds what is claimed now, and forgets claims that were not repeated. */
  look(now: number): void {
    const held = new Set<number>()
    for (const [device, { pieces, at }] of this.#by) {
      if (now - at > CLAIM_MS) this.#by.delete(device)
      else for (const [piece, since] of pieces) if (this.#isHeld(piece, since, now)) held.add(piece)
    }
    this.#held = held
  }

  #isHeld(piece: number, since: number, now: number): boolean {
    return now - since <= LONGEST_CLAIM_MS && this.isLacking(piece)
  }
}
