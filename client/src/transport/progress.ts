/** Speed of a transfer, told four times a second and not more often. */

/** How often progress is told. */
export const PROGRESS_INTERVAL_MS = 250
/** Weight of the newest sample: smooth enough to read, quick enough to be true. */
const NEWEST = 0.3

export class Speed {
  #last: { bytes: number; at: number; perSecond: number } | null = null

  /** Bytes a second of a transfer that has moved `bytes` in all by `now` (milliseconds). */
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
