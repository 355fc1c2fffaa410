/** Decides how often devices without the link may try to be let in (E8). */
import type { DeviceId } from './bindings'

/**
 * So many tries that nobody has let in, and no other is answered for so many milliseconds: who stands between two devices has one
 * chance in 2^24 with each.
 */
const MOST_TRIES = 3
export const LOCKED_MS = 10 * 60_000

export class LettingIn {
  /** The tries that led to nothing yet, with the time of each. A device may have several. */
  #tries: readonly { readonly device: DeviceId; readonly at: number }[] = []

  /** Whether a joiner may begin. */
  mayBegin(now: number): boolean {
    this.#tries = this.#tries.filter(({ at }) => now - at < LOCKED_MS)
    return this.#tries.length < MOST_TRIES
  }

  begins(device: DeviceId, now: number): void {
    this.#tries = [...this.#tries, { device, at: now }]
  }

  /** A joiner was let in: its tries do not count. */
  letsIn(device: DeviceId): void {
    this.#tries = this.#tries.filter((one) => one.device !== device)
  }
}
