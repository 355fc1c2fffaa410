/** Another device, as the engine sees it: the links to it, what is wanted from it, and the ends it has not answered. */
import { type DeviceId, DIRECT_TIMEOUT_MS, type ItemId } from '../protocol/bindings'
import type { ControlFrame } from '../protocol/frames'
import { Intake, type Receives } from '../protocol/intake'
import { STALL_MS } from '../protocol/stall-clock'
import type { FrameLink } from './frame-link'
import { Link } from './link'
import { type Relay, RelayLink } from './relay-link'

/** How long nothing goes through the server after it refused a frame. */
const RELAY_PAUSE_MS = 1_000
/** How often an end is said on one link: a client that does not answer is not asked for ever. */
const MOST_SAID = 5

type End = Extract<ControlFrame, { type: 'done' | 'cancel' }>

/** A file that comes from the device. */
export interface Arriving extends Receives {
  readonly file: { readonly id: ItemId }
  /** Whether its bytes can be written now. */
  readonly isOpen: boolean
}

interface UnheardEnd {
  readonly frame: End
  /** When it was said last, in milliseconds. */
  saidAt: number
  /** How often it was said on the present link. */
  times: number
}

export class RemoteDevice {
  readonly intake = new Intake<Arriving>()
  readonly relay: Link
  readonly #relayWire: RelayLink
  /** While the server lists the device. A direct link may outlive that. `since` is in milliseconds. */
  #listed: { readonly rtc: boolean; readonly since: number } | null = null
  /** Open direct links; the newest, which is used, comes last. */
  #direct: Link[] = []
  /** Direct links that are opening. */
  #opening: FrameLink[] = []
  /** A direct link was there and broke, or never opened. */
  #directFailed = false
  #resumeAt = 0
  /** Ends that were said and are not known to have been heard (F7). */
  readonly #ends = new Map<ItemId, UnheardEnd>()

  constructor(
    readonly id: DeviceId,
    relay: Relay,
  ) {
    this.#relayWire = new RelayLink(relay, id)
    this.relay = new Link(this.#relayWire)
  }

  get direct(): Link | null {
    return this.#direct.at(-1) ?? null
  }

  /** Every link on which something may be under way. */
  get links(): readonly Link[] {
    return [...this.#direct, this.relay]
  }

  get isListed(): boolean {
    return this.#listed !== null
  }

  /** Whether frames can reach the device now, or will once a way is found. */
  get isHere(): boolean {
    return this.#listed !== null || this.#direct.length > 0
  }

  /** Whether anything would be lost if the device were forgotten. */
  get isInUse(): boolean {
    return this.isHere || this.#opening.length > 0 || this.#ends.size > 0
  }

  /** @param rtc whether both devices have WebRTC */
  list(rtc: boolean, now: number): void {
    if (this.#listed) return
    this.#listed = { rtc, since: now }
    this.#directFailed = false
  }

  /** The server lists the device no longer: nothing goes through the server. */
  unlist(): void {
    this.#listed = null
    this.#relayWire.resume()
    this.lostRelay()
    for (const wire of this.#opening.splice(0)) wire.close()
  }

  /** What was under way through the server is lost, in both directions. */
  lostRelay(): void {
    this.intake.lost(this.relay.key)
    this.relay.queue.clear()
  }

  opening(wire: FrameLink): void {
    this.#opening.push(wire)
  }

  opened(wire: FrameLink): void {
    this.#opening = this.#opening.filter((other) => other !== wire)
    this.#direct.push(new Link(wire))
  }

  /** A direct link is gone, or never opened. The other device wants again what it wanted there. */
  closed(wire: FrameLink): void {
    const link = this.#linkOf(wire)
    if (!link && !this.#opening.includes(wire)) return
    this.#opening = this.#opening.filter((other) => other !== wire)
    this.#direct = this.#direct.filter((other) => other !== link)
    this.#directFailed = true
    this.intake.lost(wire.key)
    link?.queue.clear()
  }

  /** The link that a wire carries; null while it is not open. */
  #linkOf(wire: FrameLink): Link | null {
    return this.#direct.find((link) => link.wire === wire) ?? null
  }

  linkOf(wire: FrameLink): Link {
    return this.#linkOf(wire) ?? this.relay
  }

  wireOf(key: string): FrameLink | null {
    const open = this.#direct.find((link) => link.key === key)
    return open?.wire ?? this.#opening.find((wire) => wire.key === key) ?? null
  }

  /** The link on which to want now, or null while a way is being found (L2). */
  route(now: number): Link | null {
    if (this.direct) return this.direct
    const listed = this.#listed
    if (!listed || !this.#relayWire.relay.isUp || this.#relayWire.isPaused) return null
    const isGivenUp = !listed.rtc || this.#directFailed || now - listed.since >= DIRECT_TIMEOUT_MS
    return isGivenUp ? this.relay : null
  }

  /** The server refused a frame for this device: nothing goes that way for a moment. */
  pauseRelay(now: number): void {
    this.#relayWire.pause()
    this.#resumeAt = now + RELAY_PAUSE_MS
  }

  /** Whether a pause has ended just now. */
  resumesRelay(now: number): boolean {
    if (!this.#relayWire.isPaused || now < this.#resumeAt) return false
    this.#relayWire.resume()
    return true
  }

  get isPaused(): boolean {
    return this.#relayWire.isPaused
  }

  /** Ends a transfer, and says so until it is known to have been heard. */
  end(frame: End, now: number): void {
    const end = { frame, saidAt: now, times: 0 }
    this.#ends.set(frame.transfer, end)
    this.#sayEnd(end, now)
  }

  /** Whether the end of a transfer may not have been heard yet. */
  isEnding(id: ItemId): boolean {
    const end = this.#ends.get(id)
    return end !== undefined && end.times < MOST_SAID
  }

  /** Whether an end is still to be said again. */
  get hasEnds(): boolean {
    return [...this.#ends.keys()].some((id) => this.isEnding(id))
  }

  heardEnd(id: ItemId): void {
    this.#ends.delete(id)
  }

  /** There is another way to the device: what ended is said there. */
  sayEnds(now: number): void {
    for (const end of this.#ends.values()) {
      end.times = 0
      this.#sayEnd(end, now)
    }
  }

  /** Says again what was not answered for too long. */
  repeatEnds(now: number): void {
    for (const end of this.#ends.values()) {
      if (end.times < MOST_SAID && now - end.saidAt > STALL_MS) this.#sayEnd(end, now)
    }
  }

  #sayEnd(end: UnheardEnd, now: number): void {
    end.saidAt = now
    end.times += 1
    this.#best()?.say(end.frame)
  }

  /** The best link for a frame that matters at once, even while a direct way is still being found. */
  #best(): Link | null {
    const canRelay = this.#listed !== null && this.#relayWire.relay.isUp
    return this.direct ?? (canRelay ? this.relay : null)
  }
}
