/** Another device, as the engine sees it: the links to it, what goes to it, what comes from it. */
import { type DeviceId, DIRECT_TIMEOUT_MS, type ItemId, WINDOW_BYTES } from '../protocol/bindings'
import { encodeFrame } from '../protocol/frames'
import type { LinkKey } from '../protocol/receiver'
import { Sender } from '../protocol/sender'
import type { FrameLink } from './frame-link'
import type { Incoming } from './incoming'

/** Files that come from one device at the same time; the others wait their turn. */
const MOST_AT_ONCE = 3

/** A file that goes to this device. */
export interface Outgoing {
  readonly file: Blob
  readonly sender: Sender
}

export class Remote {
  /** Whether the server lists the device. A direct link may outlive that. */
  isListed = true
  /** Open direct link, if any. */
  direct: FrameLink | null = null
  /** Direct links that are opening or open. */
  readonly channels = new Map<LinkKey, FrameLink>()
  /** A direct link was there and broke, or never opened. */
  directFailed = false
  readonly incoming = new Map<ItemId, Incoming>()
  readonly outgoing = new Map<ItemId, Outgoing>()
  /** Links on which a pump runs. */
  readonly pumping = new Set<LinkKey>()

  /**
   * @param rtc whether both devices have WebRTC
   * @param since when the device was first seen here, in milliseconds
   */
  constructor(
    readonly id: DeviceId,
    readonly rtc: boolean,
    readonly since: number,
    readonly relay: FrameLink,
  ) {}

  /** The best link now, or null while a way is being found (L2). */
  route(now: number, relayUp: boolean): FrameLink | null {
    if (this.direct) return this.direct
    const givenUp = !this.rtc || this.directFailed || now - this.since >= DIRECT_TIMEOUT_MS
    return relayUp && givenUp ? this.relay : null
  }

  /** Wants more of the files that come, as far as the window has room (F4). */
  refill(link: FrameLink, now: number): void {
    const active = [...this.incoming.values()].filter((incoming) => incoming.isOpen).slice(0, MOST_AT_ONCE)
    const share = WINDOW_BYTES / Math.max(1, active.length)
    for (const incoming of active) {
      const { receiver, file } = incoming
      const wasIdle = !receiver.isWaitingOn(link.key)
      for (const { first, count } of receiver.want(link.key, share - receiver.outstanding)) {
        link.send(encodeFrame({ type: 'want', transfer: file.id, first, count }))
        if (wasIdle) incoming.lastArrival = now
      }
    }
  }

  /** The sender of a file to this device; made when the device first asks. */
  sending(id: ItemId, file: Blob): Outgoing {
    const known = this.outgoing.get(id)
    if (known) return known
    const outgoing = { file, sender: new Sender(file.size) }
    this.outgoing.set(id, outgoing)
    return outgoing
  }

  /** The file whose turn it is on a link: each in turn gets one read. */
  nextOutgoing(link: LinkKey): [ItemId, Outgoing] | null {
    for (const [id, outgoing] of this.outgoing) {
      if (!outgoing.sender.isWantedOn(link)) continue
      this.outgoing.delete(id)
      this.outgoing.set(id, outgoing)
      return [id, outgoing]
    }
    return null
  }

  /** A link is gone: both directions forget what was under way on it. */
  lost(link: LinkKey): void {
    for (const incoming of this.incoming.values()) incoming.receiver.lost(link)
    for (const outgoing of this.outgoing.values()) outgoing.sender.lost(link)
  }
}
