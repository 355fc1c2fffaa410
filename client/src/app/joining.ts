/** Asks the devices of a beam, one after the other and over again, to let this one in (E6). */
import type { DeviceId } from '../protocol/bindings'

/** A device that has not answered within so many milliseconds is given up, and the next one asked. */
const ANSWER_WITHIN_MS = 3_000
/** Pause before all are asked again: meanwhile one of them may have been let in itself. In milliseconds. */
const AGAIN_MS = 5_000

export class Joining {
  readonly #ask: (device: DeviceId) => void
  #here: readonly DeviceId[] = []
  /** Those that are here and are still to be asked. */
  #waiting: readonly DeviceId[] = []
  #asked: DeviceId | null = null
  #next: ReturnType<typeof setTimeout> | null = null

  /** @param ask sends a device the request */
  constructor(ask: (device: DeviceId) => void) {
    this.#ask = ask
  }

  /** The device that was asked last and has not answered; null for none. */
  get asked(): DeviceId | null {
    return this.#asked
  }

  /** Sets the devices that may let this one in, in the order in which they joined. */
  setDevices(devices: readonly DeviceId[]): void {
    const fresh = devices.filter((device) => !this.#here.includes(device))
    this.#waiting = [...fresh, ...this.#waiting.filter((device) => devices.includes(device))]
    this.#here = devices
    const isGone = this.#asked !== null && !devices.includes(this.#asked)
    if (isGone || (this.#asked === null && fresh.length > 0)) this.next()
  }

  /** The device that was asked does not let this one in. */
  next(): void {
    this.#stop()
    const [device, ...rest] = this.#waiting
    this.#waiting = rest
    if (device !== undefined) {
      this.#asked = device
      this.#next = setTimeout(() => this.next(), ANSWER_WITHIN_MS)
      this.#ask(device)
    } else if (this.#here.length > 0) {
      this.#next = setTimeout(() => this.#again(), AGAIN_MS)
    }
  }

  /** Forgets all devices. They are asked again once they are set again, because what was asked may be lost with the channel. */
  end(): void {
    this.#here = []
    this.#waiting = []
    this.#stop()
  }

  #again(): void {
    this.#waiting = this.#here
    this.next()
  }

  #stop(): void {
    this.#asked = null
    if (this.#next !== null) clearTimeout(this.#next)
    this.#next = null
  }
}
