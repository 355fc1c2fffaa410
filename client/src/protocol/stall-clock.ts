/** When a link counts as dead: something is wanted on it and no file's chunk has come for too long. */

/** Nothing came for so long although something was wanted. One frame of 64 KiB takes as long at 64 kbit/s. */
export const STALL_MS = 8_000

export class StallClock {
  #lastSign = 0

  /** A chunk came, or something is wanted where nothing was. Times are milliseconds of one clock. */
  touch(now: number): void {
    this.#lastSign = now
  }

  /** @param isWaiting whether something is wanted on the link */
  isStalled(now: number, isWaiting: boolean): boolean {
    return isWaiting && now - this.#lastSign > STALL_MS
  }
}
