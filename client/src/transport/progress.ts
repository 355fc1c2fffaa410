/** The speed of a transfer, and how often progress is reported. */

/** Interval between two reports of progress. */
export const PROGRESS_INTERVAL_MS = 250
/** Weight of the newest sample in the moving average: smooth enough to read, quick enough to follow a change. */
const NEWEST = 0.3

export class Speed {
  #last: { bytes: number; at: number; perSecond: number } | null = null

  /** Returns bytes per second. `bytes` is the total moved by `now` (milliseconds). */
  sample(bytes: number, now: number): number {
    const last = this.#last
    if (!last) {
      this.#last = { bytes, at: now, perSecond: 0 }
      return 0
    }
    const elapsed = now - last.at
    if (elapsed <= 0) return last.perSecond
    const current = (Math.max(0, bytes - last.bytes) * 1000) / elapsed
    const perSecond = last.perSecond === 0 ? current : last.perSecond * (1 - NEWEST) + current * NEWEST
    this.#last = { bytes, at: now, perSecond }
    return perSecond
  }
}
