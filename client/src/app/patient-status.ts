/**
 * Hides short interruptions of the live channel. A phone that wakes or changes its network reconnects within a moment,
 * and nothing is lost meanwhile, so a warning would only alarm.
 */
import type { LiveBeamStatus } from '../transport/live-beam-status'

/** An interruption is shown after this many milliseconds of a visible page. */
export const PATIENCE_MS = 2_000

export class PatientStatus {
  readonly #show: (status: LiveBeamStatus) => void
  readonly #isSeen: () => boolean
  #isLive = false
  /** The interruption that is being hidden. */
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

  /** The page is visible again: restarts the delay, because nobody was waiting before. */
  seen(): void {
    if (this.#held) this.#wait()
  }

  /** Reports nothing more. */
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

/** Whether the channel is down and reconnecting. */
function isGap(status: LiveBeamStatus): boolean {
  return status.status === 'reconnecting' || (status.status === 'stopped' && status.why === 'unreachable')
}
