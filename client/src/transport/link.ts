/** A link to one device, as the engine uses it: the wire, the chunks still to be sent on it, and its stall clock. */
import { type ControlFrame, encodeFrame } from '../protocol/frames'
import { SendQueue } from '../protocol/send-queue'
import { StallClock } from '../protocol/stall-clock'
import type { FrameLink } from './frame-link'
import type { Outgoing } from './outgoing'

export class Link {
  readonly queue = new SendQueue<Outgoing>()
  readonly clock = new StallClock()
  /** Whether `pump` is running for this link. */
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
