/**
 * Keeps a bundle of direct links to each device that can have one: how many, who initiates, which attempt counts, when to
 * retry (L1, L6). Each connection of a bundle fails and is rebuilt alone.
 */
import * as v from 'valibot'
import type { Device, DeviceId, IceServer } from '../protocol/bindings'
import { MOST_CONNECTIONS } from '../protocol/bundle'
import type { LinkKey } from '../protocol/receiver'
import type { Channels } from './channel-link'
import type { ConnectionStats, PeerPath } from './connection-stats'
import type { OpenPeerLink } from './peer-link'
import { type Attempt, nameOf, Pauses, type Slot, type SlotName } from './peer-place'

export interface PeerLinksEvents {
  sendSignal(to: DeviceId, message: unknown): void
  /** Takes the channels of a new link, in the task that created them. */
  takeChannels(device: DeviceId, place: number, key: LinkKey, channels: Channels): void
  /** The link ends, because its connection does. A channel that was handed to a worker may not notice by itself. */
  dropChannel(device: DeviceId, key: LinkKey): void
  onConnect(device: DeviceId, key: LinkKey, maxMessageBytes: number): void
  /** The path of the connections to a device is known, or has changed: direct where any of them is. */
  onPath(device: DeviceId, via: PeerPath): void
  /** The last connection to a device, or the last attempt, has ended. */
  onClose(device: DeviceId): void
}

/**
 * Limit for one attempt: a few round trips of ICE and DTLS through a slow TURN server. Without a limit, a lost answer
 * would be waited for forever. The devices use the relay meanwhile.
 */
export const ATTEMPT_LIMIT_MS = 15_000

/** Most connections of a bundle over TURN. Each takes several places there. */
const MOST_OVER_TURN = 4
/** Most connections beyond the first ones, to all devices. Browsers have no more than 500 in all. */
const MOST_FURTHER = 48

const index = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MOST_CONNECTIONS - 1))
const envelope = v.object({ session: v.string(), index: v.optional(index, 0), signal: v.unknown() })
/** Asks the initiator for so many connections. */
const wish = v.object({ size: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_CONNECTIONS)) })

/** What is known of one connection to a device. */
export interface Connected {
  readonly key: LinkKey
  readonly stats: ConnectionStats
}

/** How many connections each of the two devices wants. */
interface Sizes {
  mine: number
  theirs: number
}

export class PeerLinks {
  readonly #events: PeerLinksEvents
  readonly #load: () => Promise<OpenPeerLink>
  readonly #makeName: () => string
  #me: DeviceId | null = null
  #iceServers: readonly IceServer[] = []
  /** Devices with WebRTC in the order in which they joined, this one included. */
  #devices: readonly DeviceId[] = []
  readonly #attempts = new Map<SlotName, Attempt>()
  readonly #pauses = new Pauses()
  readonly #sizes = new Map<DeviceId, Sizes>()
  /** Most connections that this device lets a bundle have. */
  #most = MOST_CONNECTIONS

  /**
   * @param load loads the library, on first use
   * @param makeName returns a name that was never used and cannot be guessed
   */
  constructor(load: () => Promise<OpenPeerLink>, makeName: () => string, events: PeerLinksEvents) {
    this.#load = load
    this.#makeName = makeName
    this.#events = events
  }

  /** The socket is new. Signals sent over the old one may be lost, so unfinished attempts are restarted. */
  welcome(me: DeviceId, iceServers: readonly IceServer[]): void {
    this.#me = me
    this.#iceServers = iceServers
    this.#pauses.forgetFailures()
    const attempted = [...this.#attempts.values()].map(({ slot }) => slot)
    for (const slot of [...this.#pauses.retrying, ...attempted]) this.#giveUp(slot)
    this.renew(iceServers)
  }

  /** The credentials of TURN have changed (S37). A link that fails at it is rebuilt with them. */
  renew(iceServers: readonly IceServer[]): void {
    this.#iceServers = iceServers
    for (const { slot, key, link } of [...this.#attempts.values()]) {
      try {
        link?.renew(this.#serversFor(slot))
      } catch {
        this.#closed(slot, key)
      }
    }
  }

  /** Sets the devices of the beam. A working link to a device that is no longer listed is kept. */
  setDevices(devices: readonly Device[]): void {
    this.#devices = devices.filter(({ caps }) => caps.includes('rtc')).map(({ device_id }) => device_id)
    for (const attempt of [...this.#attempts.values()]) {
      if (!this.#devices.includes(attempt.slot.device)) this.#giveUp(attempt.slot)
      this.#endIfGone(attempt)
    }
    for (const [device, sizes] of this.#sizes) {
      if (!this.#devices.includes(device)) sizes.theirs = 1
      // Which of the two initiates may have changed.
      else if (sizes.mine > 1 && !this.#begins(device)) this.#events.sendSignal(device, { size: sizes.mine })
    }
    for (const device of this.#devices) this.#fill(device)
  }

  /** Sets how many connections this device wants with another. The initiator makes as many as either wants (L6). */
  setSize(device: DeviceId, size: number): void {
    const sizes = this.#sizesOf(device)
    if (sizes.mine === size) return
    sizes.mine = size
    if (this.#begins(device)) this.#fit(device)
    else if (this.#devices.includes(device)) this.#events.sendSignal(device, { size })
  }

  /** Sets how many connections a bundle may have, whichever device wants more. */
  setMost(most: number): void {
    this.#most = most
    for (const device of this.#devices) {
      if (this.#begins(device)) this.#fit(device)
      // The initiator finds that they do not open again, and does with fewer.
      else for (const { slot } of this.#attemptsTo(device)) if (slot.index >= most) this.#drop(slot)
    }
  }

  /** Returns the way of an open connection; null when there is none of that key. */
  pathOf(device: DeviceId, key: LinkKey): PeerPath | null {
    return this.#attemptsTo(device).find((attempt) => attempt.key === key)?.path ?? null
  }

  /** Asks the browser about each open connection to a device. */
  async statsTo(device: DeviceId): Promise<readonly Connected[]> {
    const open = this.#attemptsTo(device).filter(({ path }) => path !== null)
    const told = open.map(async ({ key, link }) => {
      // One that closes meanwhile may not answer.
      const stats = await link?.stats().catch(() => null)
      return stats ? [{ key, stats }] : []
    })
    return (await Promise.all(told)).flat()
  }

  /** Takes a signal. An offer with a new session replaces the link; other signals of another session are late. */
  handleSignal(from: DeviceId, message: unknown): void {
    if (v.is(wish, message)) {
      if (!this.#devices.includes(from)) return
      this.#sizesOf(from).theirs = message.size
      if (this.#begins(from)) this.#fit(from)
      return
    }
    const parsed = v.safeParse(envelope, message)
    if (!parsed.success) return
    const { session, index, signal } = parsed.output
    const slot = { device: from, index }
    const attempt = this.#attempts.get(nameOf(slot))
    if (attempt?.session === session) return this.#feed(attempt, signal)
    const isOffer = v.is(v.object({ type: v.literal('offer') }), signal)
    if (!isOffer || this.#begins(from) || !this.#mayAdd(slot)) return
    this.#drop(slot)
    this.#feed(this.#answer(slot, session), signal)
  }

  /** Takes up an offer: at once, or when the interval since the last one is over. Of several, the newest counts. */
  #answer(slot: Slot, session: string): Attempt {
    const attempt = this.#add(slot, session)
    if (!this.#pauses.isResting(slot)) this.#takeUp(attempt)
    return attempt
  }

  /** Whether there is room for a connection in a place. The first place of each device always has it. */
  #mayAdd({ device, index }: Slot): boolean {
    if (index >= this.#most) return false
    const others = [...this.#attempts.values()].filter(({ slot }) => slot.index > 0)
    const isThere = others.some(({ slot }) => slot.device === device && slot.index === index)
    return index === 0 || isThere || others.length < MOST_FURTHER
  }

  #takeUp(attempt: Attempt): void {
    this.#pauses.rest(attempt.slot, () => {
      const newest = this.#attempts.get(nameOf(attempt.slot))
      if (newest && newest !== attempt && !newest.hasBegun) this.#takeUp(newest)
    })
    this.#open(attempt, false)
  }

  /** Closes a link that was found dead. */
  fail(device: DeviceId, key: LinkKey): void {
    for (const attempt of this.#attemptsTo(device)) if (attempt.key === key) this.#closed(attempt.slot, key)
  }

  /** The server could not forward a signal, so the attempts that depend on it have failed. */
  unreachable(device: DeviceId): void {
    for (const { slot, key, path } of this.#attemptsTo(device)) if (path === null) this.#closed(slot, key)
  }

  /** Ends the links to devices that may no longer be in the beam. */
  remove(devices: readonly DeviceId[]): void {
    this.#devices = this.#devices.filter((device) => !devices.includes(device))
    for (const device of devices) {
      this.#sizes.delete(device)
      for (const { slot } of this.#attemptsTo(device)) this.#drop(slot)
      for (const slot of this.#pauses.retrying) if (slot.device === device) this.#drop(slot)
    }
  }

  close(): void {
    for (const { slot } of [...this.#attempts.values()]) this.#drop(slot)
    this.#pauses.clear()
    this.#sizes.clear()
    this.#devices = []
  }

  /** Whether this device initiates: the one later in the list does (L1). */
  #begins(device: DeviceId): boolean {
    return (
      this.#me !== null &&
      this.#devices.indexOf(this.#me) > this.#devices.indexOf(device) &&
      this.#devices.includes(device)
    )
  }

  #sizesOf(device: DeviceId): Sizes {
    const known = this.#sizes.get(device) ?? { mine: 1, theirs: 1 }
    this.#sizes.set(device, known)
    return known
  }

  #sizeOf(device: DeviceId): number {
    const { mine, theirs } = this.#sizes.get(device) ?? { mine: 1, theirs: 1 }
    const first = this.#attempts.get(nameOf({ device, index: 0 }))
    const most = Math.min(this.#most, first?.path === 'turn' ? MOST_OVER_TURN : MOST_CONNECTIONS)
    return Math.min(most, Math.max(mine, theirs))
  }

  #attemptsTo(device: DeviceId): Attempt[] {
    return [...this.#attempts.values()].filter(({ slot }) => slot.device === device)
  }

  /** Makes the connections that a bundle lacks, and ends those that it has too many. */
  #fit(device: DeviceId): void {
    const size = this.#sizeOf(device)
    const attempts = this.#attemptsTo(device)
    const staysConnected = attempts.some(({ slot, path }) => slot.index < size && path !== null)
    for (const { slot, path } of attempts) {
      // Without another, a connection that works is better than none.
      if (slot.index >= size && (path === null || staysConnected)) this.#drop(slot)
    }
    this.#tellPath(device)
    this.#fill(device)
  }

  #fill(device: DeviceId): void {
    if (!this.#begins(device)) return
    for (let index = 0; index < this.#sizeOf(device); index += 1) {
      const slot = { device, index }
      if (!this.#attempts.has(nameOf(slot)) && !this.#pauses.isRetrying(slot)) this.#build(slot)
    }
  }

  #build(slot: Slot): void {
    if (slot.index > 0) {
      if (this.#pauses.isResting(slot) || !this.#mayAdd(slot)) return
      this.#pauses.rest(slot, () => this.#fill(slot.device))
    }
    this.#drop(slot)
    this.#open(this.#add(slot, this.#makeName()), true)
  }

  #add(slot: Slot, session: string): Attempt {
    const key = this.#makeName()
    const limit = setTimeout(() => this.#closed(slot, key), ATTEMPT_LIMIT_MS)
    const attempt: Attempt = {
      slot,
      session,
      key,
      link: null,
      early: [],
      hasBegun: false,
      path: null,
      isBroken: false,
      limit,
    }
    this.#attempts.set(nameOf(slot), attempt)
    return attempt
  }

  #open(attempt: Attempt, initiator: boolean): void {
    attempt.hasBegun = true
    // If the library does not load, or the browser allows no further connection, the attempt is repeated later.
    void this.#load()
      .then((openPeerLink) => this.#begin(attempt, initiator, openPeerLink))
      .catch(() => this.#isCurrent(attempt) && this.#closed(attempt.slot, attempt.key))
  }

  #isCurrent(attempt: Attempt): boolean {
    return this.#attempts.get(nameOf(attempt.slot)) === attempt
  }

  #begin(attempt: Attempt, initiator: boolean, openPeerLink: OpenPeerLink): void {
    const isCurrent = () => this.#isCurrent(attempt)
    if (!isCurrent()) return
    const { slot, session, key } = attempt
    const { device, index } = slot
    const takeChannels = (channels: Channels) => this.#events.takeChannels(device, index, key, channels)
    const link = openPeerLink(
      { initiator, iceServers: this.#serversFor(slot), takeChannels },
      {
        onSignal: (signal) => isCurrent() && this.#events.sendSignal(device, { session, index, signal }),
        onConnect: (via, maxMessageBytes) => {
          if (!isCurrent()) return
          attempt.path = via
          clearTimeout(attempt.limit)
          this.#pauses.worked(slot)
          this.#events.onConnect(device, key, maxMessageBytes)
          this.#tellPath(device)
        },
        onPath: (via) => {
          if (!isCurrent()) return
          attempt.path = via
          this.#tellPath(device)
        },
        onBroken: (isBroken) => {
          attempt.isBroken = isBroken
          if (isCurrent()) this.#endIfGone(attempt)
        },
        onClose: () => isCurrent() && this.#closed(slot, key),
      },
    )
    attempt.link = link
    for (const signal of attempt.early.splice(0)) link.signal(signal)
  }

  /** Further connections of a bundle that goes directly need no TURN, and would each take a place there. */
  #serversFor({ device, index }: Slot): readonly IceServer[] {
    const first = this.#attempts.get(nameOf({ device, index: 0 }))
    if (index === 0 || first?.path !== 'direct') return this.#iceServers
    const isStun = (url: string) => url.startsWith('stun')
    return this.#iceServers
      .map((server) => ({ ...server, urls: server.urls.filter(isStun) }))
      .filter(({ urls }) => urls.length > 0)
  }

  #tellPath(device: DeviceId): void {
    const paths = this.#attemptsTo(device).map(({ path }) => path)
    if (paths.includes('direct')) this.#events.onPath(device, 'direct')
    else if (paths.includes('turn')) this.#events.onPath(device, 'turn')
  }

  #feed(attempt: Attempt, signal: unknown): void {
    if (attempt.link) attempt.link.signal(signal)
    else attempt.early.push(signal)
  }

  #closed(slot: Slot, key: LinkKey): void {
    const attempt = this.#attempts.get(nameOf(slot))
    if (attempt?.key !== key) return
    this.#drop(slot)
    const { device } = slot
    if (this.#attemptsTo(device).some(({ path }) => path !== null)) this.#tellPath(device)
    else if (slot.index === 0 || attempt.path !== null) this.#events.onClose(device)
    if (!this.#begins(device) || slot.index >= this.#sizeOf(device)) return
    this.#pauses.retry(slot, () => {
      if (this.#begins(device) && slot.index < this.#sizeOf(device)) this.#build(slot)
    })
  }

  /** Ends a broken link to a device that is not here: nobody would answer the restart, which fails only after 15 s (L4). */
  #endIfGone({ slot, key, isBroken }: Attempt): void {
    if (isBroken && !this.#devices.includes(slot.device)) this.#closed(slot, key)
  }

  /** Ends an attempt that has not connected. */
  #giveUp(slot: Slot): void {
    if (!this.#attempts.get(nameOf(slot))?.path) this.#drop(slot)
  }

  #drop(slot: Slot): void {
    const name = nameOf(slot)
    const attempt = this.#attempts.get(name)
    this.#attempts.delete(name)
    clearTimeout(attempt?.limit)
    attempt?.link?.close()
    if (attempt?.hasBegun) this.#events.dropChannel(slot.device, attempt.key)
    this.#pauses.cancelRetry(slot)
  }
}
