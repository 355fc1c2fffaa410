/** Decides when links to a device are dead: something is wanted on them and no chunk of any file has arrived for too long (L2). */

/** Silence after which a link is dead, in milliseconds. One frame of 64 KiB takes as long at 64 kbit/s. */
export const STALL_MS = 8_000
/** Silence after which nothing more is waited for on a link that is to end anyway, in milliseconds. */
const QUIET_MS = 2_000
/** So many links of a bundle may share the narrowest way before each of them is given more time. */
const SHARING = 4

export class StallClock {
  #lastSign = 0

  /** Restarts the clock: a chunk arrived, or the first `want` was sent. Times are milliseconds of one clock. */
  touch(now: number): void {
    this.#lastSign = now
  }

  /** Whether what is expected still comes, so that a link that is to end may wait for it. */
  isCarrying(now: number): boolean {
    return now - this.#lastSign <= QUIET_MS
  }

  /** Whether nothing has arrived for so long that a link which shares its way with no other is dead. */
  isSilent(now: number): boolean {
    return this.isStalled(now, 1)
  }

  /** @param sharing number of links that share the way of this one, itself included */
  isStalled(now: number, sharing: number): boolean {
    return now - this.#lastSign > STALL_MS * Math.max(1, sharing / SHARING)
  }
}
