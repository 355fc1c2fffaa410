/**
 * A link to one device, as the engine uses it: the wire, the chunks still to be sent on it, its stall clock, and the
 * `ping` that it has not answered.
 */
import type { Bytes } from '../crypto/bytes'
import type { ItemId } from '../protocol/bindings'
import { type ControlFrame, encodeFrame } from '../protocol/frames'
import { SendQueue, type Turn } from '../protocol/send-queue'
import { STALL_MS, StallClock } from '../protocol/stall-clock'
import type { FrameLink } from './frame-link'
import type { Outgoing } from './outgoing'

/** How many pings were sent. Their tokens need only differ. */
let pings = 0

export class Link {
  readonly queue = new SendQueue<Outgoing>()
  readonly clock = new StallClock()
  /** The files of which it was said here that they can be had (F17). Where the link is lost, so may be that. */
  readonly offered = new Set<ItemId>()
  /** The frames of the queue that were read, in the order in which they were, and wait for room; null for bytes that cannot be read. */
  readonly read: { readonly turn: Turn<Outgoing>; readonly bytes: Bytes | null }[] = []
  /** Whether `pump` is running for this link. */
  isPumping = false
  #ping: { readonly token: string; readonly at: number } | null = null

  /** @param place its place in the bundle, from 0 (L6); that of a relay is 0 */
  constructor(
    readonly wire: FrameLink,
    readonly place = 0,
  ) {}

  get key(): string {
    return this.wire.key
  }

  get kind(): FrameLink['kind'] {
    return this.wire.kind
  }

  /** Whether a `ping` is on its way. After a while it counts as lost. */
  isPinging(now: number): boolean {
    return this.#ping !== null && now - this.#ping.at < STALL_MS
  }

  /** Asks for the round trip. An older `ping` without an answer is forgotten. */
  ping(now: number): void {
    pings += 1
    const token = `00000000-0000-4000-8000-${pings.toString(16).padStart(12, '0')}`
    this.#ping = { token, at: now }
    this.say({ type: 'ping', token })
  }

  /** Returns the round trip in milliseconds; null when this answers no `ping` of ours. */
  pong(token: string, now: number): number | null {
    if (this.#ping?.token !== token) return null
    const { at } = this.#ping
    this.#ping = null
    return now - at
  }

  say(frame: ControlFrame): void {
    if (frame.type === 'offered') this.offered.add(frame.transfer)
    this.wire.say(encodeFrame(frame))
  }
}
