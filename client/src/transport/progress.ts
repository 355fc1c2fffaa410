/** The speed of a transfer, and how often progress is reported. */

/** Interval between two reports of progress. */
export const PROGRESS_INTERVAL_MS = 250
/** Weight of the newest sample in the moving average: smooth enough to read, quick enough to follow a change. */
const NEWEST = 0.3
/** Without a byte for so long, nothing moves. On the slowest links that are usable, chunks come more often. */
const STILL_MS = 4_000

export class Speed {
  #last: { bytes: number; at: number; movedAt: number; perSecond: number } | null = null

  /** Returns bytes per second; 0 while nothing moves. `bytes` is the total moved by `now` (milliseconds). */
  sample(bytes: number, now: number): number {
    const last = this.#last
    if (!last) {
      this.#last = { bytes, at: now, movedAt: now, perSecond: 0 }
      return 0
    }
    const elapsed = now - last.at
    if (elapsed <= 0) return last.perSecond
    const current = (Math.max(0, bytes - last.bytes) * 1000) / elapsed
    const perSecond = last.perSecond === 0 ? current : last.perSecond * (1 - NEWEST) + current * NEWEST
    const movedAt = bytes > last.bytes ? now : last.movedAt
    this.#last = { bytes, at: now, movedAt, perSecond }
    // The average alone would fall for a minute, and promise ever later ends.
    return now - movedAt < STILL_MS ? perSecond : 0
  }
}
