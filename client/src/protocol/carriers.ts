/**
 * Tells which links carry a transfer, in a way that a person can read: a link that joins or leaves is told once it has
 * done so for a moment, and a short pause between two chunks is none.
 */
import type { LinkKey } from './receiver'

/** A link of which nothing is expected carries no more after so long without a chunk, in milliseconds. */
const QUIET_MS = 1_000
/** A change is told when it has lasted so long, in milliseconds. */
const STEADY_MS = 750

export class Carriers {
  /** The links with chunks since the last look. */
  readonly #fresh = new Set<LinkKey>()
  /** When each was last seen to carry, in milliseconds. */
  readonly #carriedAt = new Map<LinkKey, number>()
  #told: readonly LinkKey[] = []
  /** Since when other links carry than those that are told, in milliseconds. */
  #differsSince: number | null = null

  /** A chunk came or went over a link. */
  carried(link: LinkKey): void {
    this.#fresh.add(link)
  }

  /** Nothing moves from now on, and nobody looks: what has carried since the last look did so by now, and not later. */
  rests(now: number): void {
    for (const link of this.#fresh) this.#carriedAt.set(link, now)
    this.#fresh.clear()
  }

  /**
   * Returns the links that carry. Called several times a second while anything moves.
   * @param isBusy whether anything of the transfer is still under way on a link
   */
  look(isBusy: (link: LinkKey) => boolean, now: number): readonly LinkKey[] {
    this.rests(now)
    for (const [link, at] of this.#carriedAt)
      if (now - at >= QUIET_MS && !isBusy(link)) this.#carriedAt.delete(link)
    const carry = [...this.#carriedAt.keys()]
    if (carry.length === 0 || isSame(carry, this.#told)) this.#differsSince = null
    else if (this.#isDue(carry, now)) this.#tell(carry)
    return this.#told
  }

  /** When none of the told links carries any more, there is nothing to wait for. */
  #isDue(carry: readonly LinkKey[], now: number): boolean {
    this.#differsSince ??= now
    return !carry.some((link) => this.#told.includes(link)) || now - this.#differsSince >= STEADY_MS
  }

  #tell(carry: readonly LinkKey[]): void {
    this.#told = carry
    this.#differsSince = null
  }
}

function isSame(some: readonly LinkKey[], others: readonly LinkKey[]): boolean {
  return some.length === others.length && some.every((link) => others.includes(link))
}
