/**
 * A link to one device, as the engine uses it: the wire, what is still to be sent on it, and when it last gave a sign.
 * A bundle of connections will be several wires here, fed from the same queue.
 */
import { type ControlFrame, encodeFrame } from '../protocol/frames'
import { SendQueue } from '../protocol/send-queue'
import { StallClock } from '../protocol/stall-clock'
import type { FrameLink } from './frame-link'
import type { Outgoing } from './outgoing'

export class Link {
  readonly queue = new SendQueue<Outgoing>()
  readonly clock = new StallClock()
  /** A pump runs on it. */
  isPumping = false

  constructor(readonly wire: FrameLink) {}

  get key(): string {
    return this.wire.key
  }

  get kind(): FrameLink['kind'] {
    return this.wire.kind
  }

  say(frame: ControlFrame): void {
    this.wire.send(encodeFrame(frame))
  }
}
