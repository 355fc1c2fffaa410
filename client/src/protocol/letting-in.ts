/** Decides how many devices without the link may try to be let in (E8). */
import type { DeviceId } from './bindings'

/**
 * So many tries that nobody has let in, and no other is answered for so many milliseconds: who stands between two devices has one
 * chance in 2^24 with each.
 */
const MOST_TRIES = 3
const LOCKED_MS = 10 * 60_000

export class LettingIn {
  /** The tries that led to nothing yet, with the time of each. A device may have several. */
  #tries: readonly { readonly device: DeviceId; readonly at: number }[] = []

  /** A joiner begins. Returns false while nobody may. */
  begins(device: DeviceId, now: number): boolean {
    this.#tries = this.#tries.filter(({ at }) => now - at < LOCKED_MS)
    if (this.#tries.length >= MOST_TRIES) return false
    this.#tries = [...this.#tries, { device, at: now }]
    return true
  }

  /** A joiner was let in: its tries do not count. */
  letsIn(device: DeviceId): void {
    this.#tries = this.#tries.filter((one) => one.device !== device)
  }
}
