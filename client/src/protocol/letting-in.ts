/** Decides how a device that came without the link is let in (E8). */
import type { DeviceId } from './bindings'

/** So many failures, and nobody is let in without the link for so many milliseconds: a guesser has one try in 2^24 each. */
const MOST_FAILURES = 3
export const LOCKED_MS = 10 * 60_000
/** A joiner that has begun and says nothing for so long has failed. In milliseconds. */
const REVEAL_WITHIN_MS = 30_000

export class LettingIn {
  /** When each joiner began that has not revealed its share. */
  readonly #begun = new Map<DeviceId, number>()
  /** When joiners failed. */
  #failures: readonly number[] = []

  /** A joiner begins. Returns false while nobody may. */
  begins(device: DeviceId, now: number): boolean {
    // One that begins anew has seen what both would show, and may have disliked it.
    if (this.#begun.has(device)) this.#fails(device, now)
    this.#forgetOld(now)
    if (this.#failures.length >= MOST_FAILURES) return false
    this.#begun.set(device, now)
    return true
  }

  /** A joiner has revealed what it had committed itself to. */
  reveals(device: DeviceId): void {
    this.#begun.delete(device)
  }

  /** A joiner revealed something else, or a person refused it. */
  fails(device: DeviceId, now: number): void {
    this.#fails(device, now)
  }

  #fails(device: DeviceId, now: number): void {
    this.#begun.delete(device)
    this.#failures = [...this.#failures, now]
  }

  #forgetOld(now: number): void {
    for (const [device, at] of this.#begun) if (now - at > REVEAL_WITHIN_MS) this.#fails(device, now)
    this.#failures = this.#failures.filter((at) => now - at < LOCKED_MS)
  }
}
