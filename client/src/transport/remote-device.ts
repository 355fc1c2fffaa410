/** Another device, as the engine sees it: its links, what is wanted from it, and the ends it has not answered. */
import { type DeviceId, DIRECT_TIMEOUT_MS, type ItemId, RELAY_WINDOW_BYTES } from '../protocol/bindings'
import { Bundle } from '../protocol/bundle'
import type { ControlFrame } from '../protocol/frames'
import type { LinkKey } from '../protocol/receiver'
import { RelayJoining } from '../protocol/relay-joining'
import { type Receives, Scheduler } from '../protocol/scheduler'
import { STALL_MS } from '../protocol/stall-clock'
import type { Carrying } from './engine-messages'
import type { FrameLink } from './frame-link'
import { Link } from './link'
import { type Relay, RelayLink } from './relay-link'

/** How long nothing is sent through the server after it refused a frame (R4). */
const RELAY_PAUSE_MS = 1_000
/** How often a `done` or `cancel` is sent on one link without an answer (F7). */
const MOST_SAID = 5
/** Pause between two answers to chunks of transfers that are not known here. */
const REFUSE_INTERVAL_MS = 1_000

type End = Extract<ControlFrame, { type: 'done' | 'cancel' }>

/** A file that is received from the device. */
export interface Arriving extends Receives {
  readonly file: { readonly id: ItemId }
  /** Whether the file's bytes can be written now. */
  readonly isOpen: boolean
  /** Chunks of it are wanted of the device. */
  wanted(now: number): void
}

interface UnheardEnd {
  readonly frame: End
  /** When it was last sent, in milliseconds. */
  saidAt: number
  /** How often it was sent on the current link. */
  times: number
  /**
   * It is said once more when it is answered. The answer may be to an end before this one; or the device has sent chunks since:
   * it may have heard a `want` after this, which was faster on another link.
   */
  isSaidAgain: boolean
}

export class RemoteDevice {
  readonly scheduler: Scheduler<Arriving>
  readonly #bundle = new Bundle()
  #bundleSize = 1
  /** Whether the relay carries what comes from it beside direct links. */
  readonly joining = new RelayJoining()
  readonly relay: Link
  readonly #relayWire: RelayLink
  /** Null when the server does not list the device; a direct link may outlive that. `since` is in milliseconds. */
  #listed: { readonly rtc: boolean; readonly since: number } | null = null
  /** Open direct links, all in use; the newest comes last. */
  #direct: Link[] = []
  /** Direct links that are being opened. */
  #opening: Link[] = []
  /** A direct link broke or never opened. */
  #directFailed = false
  #resumeAt = 0
  /** When chunks of an unknown transfer were last answered, in milliseconds. */
  #refusedAt = Number.NEGATIVE_INFINITY
  /** Each `done` and `cancel` that the device has not answered yet (F7). */
  readonly #ends = new Map<ItemId, UnheardEnd>()

  constructor(
    readonly id: DeviceId,
    relay: Relay,
  ) {
    this.#relayWire = new RelayLink(relay, id)
    this.relay = new Link(this.#relayWire)
    // The server drops what is more (R2).
    this.scheduler = new Scheduler(new Map([[this.relay.key, RELAY_WINDOW_BYTES]]))
  }

  get direct(): Link | null {
    return this.#direct.at(-1) ?? null
  }

  /** Every link that may carry frames. */
  get links(): readonly Link[] {
    return [...this.#direct, this.relay]
  }

  /** How many direct links the device is to have for what comes from it. */
  get bundleSize(): number {
    return this.#bundleSize
  }

  /**
   * The direct links to want on: those in the places that the bundle is to have. What is expected on the others arrives
   * before they end, and need not come twice.
   */
  get #kept(): readonly Link[] {
    const kept = this.#direct.filter(({ place }) => place < this.#bundle.size)
    return kept.length > 0 ? kept : this.#direct
  }

  /**
   * Decides which links are to carry what comes from it, and returns how many of them are direct (L6, R6).
   * @param most as many as this device lets a bundle have
   */
  fitLinks(most: number, now: number): number {
    const { scheduler, relay, joining } = this
    const bundle = this.#bundle
    const kept = this.#kept
    // What is no longer wanted on says nothing about the way.
    for (const { key } of this.#direct)
      if (!kept.some((link) => link.key === key) && !scheduler.isWaitingOn(key))
        scheduler.meter(key).idle(now)
    const links = kept.map(({ key }) => key)
    const left = links.length > 0 ? scheduler.left : 0
    const rate = scheduler.rate(links, now)
    const roundTrip = scheduler.roundTrip(links)
    const queuing = scheduler.queuing(links)
    const { use } = this.#relayWire.relay
    const carries = joining.isJoined && this.#canRelay
    const relayed = carries ? scheduler.rate([relay.key], now) : 0
    const base = roundTrip === null ? null : roundTrip - queuing
    const { isTrying } = bundle
    joining.next({ use, left, direct: rate, relay: relayed, roundTrip: base, isTrying }, now)
    const beside = { isBeside: joining.isMain(now), isRelayTrying: joining.isTrying }
    const size = bundle.next({ left, rate, roundTrip, queuing, open: links.length, most, ...beside }, now)
    const isDraining = this.#direct.some(
      ({ place, key, clock }) => place >= size && scheduler.isWaitingOn(key) && clock.isCarrying(now),
    )
    if (size > this.#bundleSize || !isDraining) this.#bundleSize = size
    return this.#bundleSize
  }

  /** Whether frames may go through the server now. */
  get #canRelay(): boolean {
    return this.#listed !== null && this.#relayWire.relay.isUp && !this.#relayWire.isPaused
  }

  /** Returns the links of a transfer's way. Before its first chunk it is the way that it will take. */
  carrying(keys: readonly LinkKey[]): Carrying {
    const links = keys.filter((key) => key !== this.relay.key)
    if (keys.length > 0) return { links, server: links.length < keys.length }
    return { links: this.#direct.slice(-1).map(({ key }) => key), server: this.#direct.length === 0 }
  }

  get isListed(): boolean {
    return this.#listed !== null
  }

  /** Whether frames can reach the device now, or will as soon as a link opens. */
  get isHere(): boolean {
    return this.#listed !== null || this.#direct.length > 0
  }

  /** Whether the device has a link, or may get one. */
  get isInUse(): boolean {
    return this.isHere || this.#opening.length > 0
  }

  /** @param rtc whether both devices have WebRTC */
  list(rtc: boolean, now: number): void {
    if (this.#listed) return
    this.#listed = { rtc, since: now }
    this.#directFailed = false
  }

  /** The server no longer lists the device, so nothing can go through the server. */
  unlist(): void {
    this.#listed = null
    this.#relayWire.resume()
    this.lostRelay()
    for (const { wire } of this.#opening.splice(0)) wire.close()
  }

  /** Everything wanted through the server is lost, in both directions (R4). */
  lostRelay(): void {
    this.scheduler.lost(this.relay.key)
    this.relay.queue.clear()
    this.relay.offered.clear()
  }

  opening(link: Link): void {
    this.#opening.push(link)
  }

  opened(link: Link): void {
    this.#opening = this.#opening.filter((other) => other !== link)
    this.#direct.push(link)
  }

  /** A direct link closed or never opened. The other device wants again what it wanted there. */
  closed(link: Link): void {
    if (!this.#direct.includes(link) && !this.#opening.includes(link)) return
    this.#opening = this.#opening.filter((other) => other !== link)
    this.#direct = this.#direct.filter((other) => other !== link)
    this.#directFailed = true
    this.scheduler.lost(link.key)
    link.queue.clear()
  }

  /** Whether a link carries frames. The last frames of a link may arrive after it closed. */
  has(link: Link): boolean {
    return link === this.relay || this.#direct.includes(link)
  }

  wireOf(key: LinkKey): FrameLink | null {
    return [...this.#direct, ...this.#opening].find((link) => link.key === key)?.wire ?? null
  }

  /** Returns the links on which to want now: none while a direct link may still open (L2). */
  routes(now: number): readonly Link[] {
    if (this.#direct.length > 0)
      return this.joining.isJoined && this.#canRelay ? [...this.#kept, this.relay] : this.#kept
    return this.#canRelay && this.#isGivenUp(now) ? [this.relay] : []
  }

  /** Whether a direct link is no longer waited for (L2). */
  #isGivenUp(now: number): boolean {
    const listed = this.#listed
    return listed !== null && (!listed.rtc || this.#directFailed || now - listed.since >= DIRECT_TIMEOUT_MS)
  }

  /** Whether only a direct link could carry, and none opens. */
  needsDirect(now: number): boolean {
    return this.#relayWire.relay.use === 'off' && this.#direct.length === 0 && this.#isGivenUp(now)
  }

  /** The server refused a frame for this device: pauses the relay (R4). */
  pauseRelay(now: number): void {
    this.#relayWire.pause()
    this.relay.offered.clear()
    this.#resumeAt = now + RELAY_PAUSE_MS
  }

  /** Ends a pause that is over. Returns whether one ended just now. */
  resumesRelay(now: number): boolean {
    if (!this.#relayWire.isPaused || now < this.#resumeAt) return false
    this.#relayWire.resume()
    return true
  }

  get isPaused(): boolean {
    return this.#relayWire.isPaused
  }

  /**
   * Ends a transfer: sends the frame, and repeats it until it is answered (F7). The answer that comes first may be that to an
   * end before, as to a pause that was followed by a cancel: it is said once more after that.
   */
  end(frame: End, now: number): void {
    const isSaidAgain = this.#ends.has(frame.transfer)
    const end = { frame, saidAt: now, times: 0, isSaidAgain }
    this.#ends.set(frame.transfer, end)
    this.#sayEnd(end, now)
  }

  /** Whether the end of a transfer is still unanswered. */
  isEnding(id: ItemId): boolean {
    const end = this.#ends.get(id)
    return end !== undefined && end.times < MOST_SAID
  }

  /** Whether an end remains to be sent again. */
  get hasEnds(): boolean {
    return [...this.#ends.keys()].some((id) => this.isEnding(id))
  }

  /** Cancels a transfer that is not known here, and remembers nothing of it: the device may send any number of them. */
  refuse(link: Link, transfer: ItemId, now: number): void {
    if (this.isEnding(transfer) || now - this.#refusedAt < REFUSE_INTERVAL_MS) return
    this.#refusedAt = now
    link.say({ type: 'cancel', transfer, reason: 'person' })
  }

  /** The device goes on with a transfer whose end it has not answered. */
  contradicts(id: ItemId): void {
    const end = this.#ends.get(id)
    if (end) end.isSaidAgain = true
  }

  heardEnd(id: ItemId, now: number): void {
    const end = this.#ends.get(id)
    this.#ends.delete(id)
    if (end?.isSaidAgain) this.end(end.frame, now)
  }

  /** Sends the unanswered ends on a new link. */
  sayEnds(now: number): void {
    for (const end of this.#ends.values()) {
      end.times = 0
      this.#sayEnd(end, now)
    }
  }

  /** Whether it was told that a file can be had, on a link that may still bring it the news. */
  wasOffered(id: ItemId): boolean {
    return this.links.some(({ offered }) => offered.has(id))
  }

  /** It waits for a file anew: what it was told before counts no more. */
  misses(id: ItemId): void {
    for (const { offered } of this.links) offered.delete(id)
  }

  /** Sends a frame on the best link. Returns whether there is one: otherwise the frame is lost. */
  say(frame: ControlFrame): boolean {
    const link = this.#best()
    link?.say(frame)
    return link !== null
  }

  /** Bytes that wait on the link of `say`; infinitely many where there is none. */
  get unsaid(): number {
    return this.#best()?.wire.unsaid ?? Number.POSITIVE_INFINITY
  }

  /** Repeats the ends that have waited too long for an answer. */
  repeatEnds(now: number): void {
    for (const end of this.#ends.values()) {
      if (end.times < MOST_SAID && now - end.saidAt > STALL_MS) this.#sayEnd(end, now)
    }
  }

  #sayEnd(end: UnheardEnd, now: number): void {
    end.saidAt = now
    end.times += 1
    this.say(end.frame)
  }

  /** Returns the best link for an urgent frame, even while a direct link may still open. Over a paused relay goes none (R4). */
  #best(): Link | null {
    return this.direct ?? (this.#canRelay ? this.relay : null)
  }
}
