/** The places of the connections to a device, what is in each, and when a connection in one may be set up. */
import type { DeviceId } from '../protocol/bindings'
import type { LinkKey } from '../protocol/receiver'
import type { PeerPath } from './connection-stats'
import type { PeerLink } from './peer-link'

/** The place of a connection in the bundle to a device. */
export interface Slot {
  readonly device: DeviceId
  /** From 0. The first one is always there. */
  readonly index: number
}

export type SlotName = `${DeviceId} ${number}`

/** One connection to a device, or what is to become one. */
export interface Attempt {
  readonly slot: Slot
  readonly session: string
  /** Names the link in the engine. The initiator chooses the session, so the key is another name, always made here. */
  readonly key: LinkKey
  /** Null while the library loads, and while the device offers too often. */
  link: PeerLink | null
  /** Signals that arrived before the link existed. */
  early: unknown[]
  hasBegun: boolean
  /** Null while it is not connected. */
  path: PeerPath | null
  /** Nothing comes over it any more. */
  isBroken: boolean
  /** Ends the attempt when it has not connected in time. */
  limit: ReturnType<typeof setTimeout>
}

export const nameOf = ({ device, index }: Slot): SlotName => `${device} ${index}`

/**
 * Pauses between two connections in one place that a device may make this one set up, because each costs much more than
 * an offer: in the first place, and in the others, where this device keeps to it too.
 */
export const OFFER_INTERVAL_MS = 1_000
export const FURTHER_INTERVAL_MS = 5_000

/** Pauses before a dead link is rebuilt, while the relay carries the frames. The last one repeats. */
const REBUILD_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, 60_000]

type Timer = ReturnType<typeof setTimeout>

/** The pauses between the connections in each place. */
export class Pauses {
  readonly #failures = new Map<SlotName, number>()
  readonly #retries = new Map<SlotName, { slot: Slot; timer: Timer }>()
  /** Places in which a connection was set up less than the interval ago. */
  readonly #resting = new Map<SlotName, Timer>()

  /** The places in which a connection is to be rebuilt. */
  get retrying(): readonly Slot[] {
    return [...this.#retries.values()].map(({ slot }) => slot)
  }

  isRetrying(slot: Slot): boolean {
    return this.#retries.has(nameOf(slot))
  }

  isResting(slot: Slot): boolean {
    return this.#resting.has(nameOf(slot))
  }

  /** Does something after a pause that is longer with each failure in the place. */
  retry(slot: Slot, then: () => void): void {
    const name = nameOf(slot)
    const failures = this.#failures.get(name) ?? 0
    this.#failures.set(name, failures + 1)
    const over = () => {
      this.#retries.delete(name)
      then()
    }
    const delay = REBUILD_DELAYS_MS[Math.min(failures, REBUILD_DELAYS_MS.length - 1)]
    this.#retries.set(name, { slot, timer: setTimeout(over, delay) })
  }

  cancelRetry(slot: Slot): void {
    clearTimeout(this.#retries.get(nameOf(slot))?.timer)
    this.#retries.delete(nameOf(slot))
  }

  /** Lets no other connection be set up in a place for a while, and does something then. */
  rest(slot: Slot, then: () => void): void {
    const name = nameOf(slot)
    const over = () => {
      this.#resting.delete(name)
      then()
    }
    const interval = slot.index === 0 ? OFFER_INTERVAL_MS : FURTHER_INTERVAL_MS
    this.#resting.set(name, setTimeout(over, interval))
  }

  /** A connection in the place works. */
  worked(slot: Slot): void {
    this.#failures.delete(nameOf(slot))
  }

  forgetFailures(): void {
    this.#failures.clear()
  }

  clear(): void {
    for (const { timer } of this.#retries.values()) clearTimeout(timer)
    for (const timer of this.#resting.values()) clearTimeout(timer)
    for (const known of [this.#retries, this.#resting, this.#failures]) known.clear()
  }
}
