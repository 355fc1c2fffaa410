/**
 * Keeps short gaps of the live channel from the screen. A phone that wakes up, or a network that changes, is back within a
 * moment: saying so would only alarm. Nothing is lost meanwhile, whatever is shown.
 */
import type { LiveBeamStatus } from '../transport/live-beam'

/** A gap that a person sees for this long is worth words. */
export const PATIENCE_MS = 2_000

export class PatientStatus {
  readonly #show: (status: LiveBeamStatus) => void
  readonly #isSeen: () => boolean
  #isLive = false
  /** The gap that is kept from the screen. */
  #held: LiveBeamStatus | null = null
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(show: (status: LiveBeamStatus) => void, isSeen: () => boolean) {
    this.#show = show
    this.#isSeen = isSeen
  }

  hear(status: LiveBeamStatus): void {
    if (this.#isLive && isGap(status)) {
      this.#held = status
      if (this.#isSeen() && this.#timer === null) this.#wait()
      return
    }
    this.#isLive = status.status === 'live'
    this.#drop()
    this.#show(status)
  }

  /** The page is seen again: only from now on somebody waits. */
  seen(): void {
    if (this.#held) this.#wait()
  }

  /** Says nothing more. */
  end(): void {
    this.#drop()
  }

  #wait(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const held = this.#held
      this.#isLive = false
      this.#drop()
      if (held) this.#show(held)
    }, PATIENCE_MS)
  }

  #drop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#held = null
  }
}

/** Not there now, and tried again. */
function isGap(status: LiveBeamStatus): boolean {
  return status.status === 'reconnecting' || (status.status === 'stopped' && status.why === 'unreachable')
}
