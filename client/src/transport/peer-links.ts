/** Keeps a direct link to each device that can have one: who initiates, which attempt counts, when to retry (L1). */
import * as v from 'valibot'
import type { Device, DeviceId, IceServer } from '../protocol/bindings'
import type { LinkKey } from '../protocol/receiver'
import type { OpenPeerLink, PeerLink, PeerPath } from './peer-link'

export interface PeerLinksEvents {
  sendSignal(to: DeviceId, message: unknown): void
  /** Takes a new channel, in the task that created it. */
  takeChannel(device: DeviceId, key: LinkKey, channel: RTCDataChannel): void
  /** The channel ends, because its connection does. A channel that was handed to a worker may not notice by itself. */
  dropChannel(device: DeviceId, key: LinkKey): void
  onConnect(device: DeviceId, key: LinkKey, via: PeerPath, maxMessageBytes: number): void
  onPath(device: DeviceId, via: PeerPath): void
  onClose(device: DeviceId): void
}

interface Attempt {
  readonly session: string
  /** Names the link in the engine. The initiator chooses the session, so the key is another name, always made here. */
  readonly key: LinkKey
  /** Null while the library loads, and while the device offers too often. */
  link: PeerLink | null
  /** Signals that arrived before the link existed. */
  early: unknown[]
  hasBegun: boolean
  isConnected: boolean
  /** Ends the attempt when it has not connected in time. */
  limit: ReturnType<typeof setTimeout>
}

/**
 * Limit for one attempt: a few round trips of ICE and DTLS through a slow TURN server. Without a limit, a lost answer
 * would be waited for forever. The devices use the relay meanwhile.
 */
export const ATTEMPT_LIMIT_MS = 15_000

/** Pause between two connections that one device may make this one set up, because each costs much more than an offer. */
export const OFFER_INTERVAL_MS = 1_000

/** Pauses before a dead link is rebuilt, while the relay carries the frames. The last one repeats. */
const REBUILD_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, 60_000]

const envelope = v.object({ session: v.string(), signal: v.unknown() })

export class PeerLinks {
  readonly #events: PeerLinksEvents
  readonly #load: () => Promise<OpenPeerLink>
  readonly #makeName: () => string
  #me: DeviceId | null = null
  #iceServers: readonly IceServer[] = []
  /** Devices with WebRTC in the order in which they joined, this one included. */
  #devices: readonly DeviceId[] = []
  readonly #attempts = new Map<DeviceId, Attempt>()
  readonly #failures = new Map<DeviceId, number>()
  readonly #retries = new Map<DeviceId, ReturnType<typeof setTimeout>>()
  /** Devices whose offer was taken up less than the interval ago. */
  readonly #answered = new Map<DeviceId, ReturnType<typeof setTimeout>>()

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
    this.#failures.clear()
    for (const device of [...this.#retries.keys(), ...this.#attempts.keys()]) this.#giveUp(device)
    this.renew(iceServers)
  }

  /** The credentials of TURN have changed (S37). A link that fails at it is rebuilt with them. */
  renew(iceServers: readonly IceServer[]): void {
    this.#iceServers = iceServers
    for (const [device, { key, link }] of this.#attempts) {
      try {
        link?.renew(iceServers)
      } catch {
        this.#closed(device, key)
      }
    }
  }

  /** Sets the devices of the beam. A working link to a device that is no longer listed is kept. */
  setDevices(devices: readonly Device[]): void {
    this.#devices = devices.filter(({ caps }) => caps.includes('rtc')).map(({ device_id }) => device_id)
    for (const device of this.#attempts.keys()) if (!this.#devices.includes(device)) this.#giveUp(device)
    for (const device of this.#devices) {
      if (this.#begins(device) && !this.#attempts.has(device) && !this.#retries.has(device)) {
        this.#build(device)
      }
    }
  }

  /** Takes a signal. An offer with a new session replaces the link; other signals of another session are late. */
  handleSignal(from: DeviceId, message: unknown): void {
    const parsed = v.safeParse(envelope, message)
    if (!parsed.success) return
    const { session, signal } = parsed.output
    const attempt = this.#attempts.get(from)
    if (attempt?.session === session) return this.#feed(attempt, signal)
    const isOffer = v.is(v.object({ type: v.literal('offer') }), signal)
    if (!isOffer || this.#begins(from)) return
    this.#drop(from)
    this.#feed(this.#answer(from, session), signal)
  }

  /** Takes up an offer: at once, or when the interval since the last one is over. Of several, the newest counts. */
  #answer(device: DeviceId, session: string): Attempt {
    const attempt = this.#add(device, session)
    if (!this.#answered.has(device)) this.#takeUp(device, attempt)
    return attempt
  }

  #takeUp(device: DeviceId, attempt: Attempt): void {
    const over = () => {
      this.#answered.delete(device)
      const newest = this.#attempts.get(device)
      if (newest && newest !== attempt && !newest.hasBegun) this.#takeUp(device, newest)
    }
    this.#answered.set(device, setTimeout(over, OFFER_INTERVAL_MS))
    this.#open(device, attempt, false)
  }

  /** Closes a link that was found dead. */
  fail(device: DeviceId, key: LinkKey): void {
    this.#closed(device, key)
  }

  /** The server could not forward a signal, so an attempt that depends on it has failed. */
  unreachable(device: DeviceId): void {
    const attempt = this.#attempts.get(device)
    if (attempt && !attempt.isConnected) this.#closed(device, attempt.key)
  }

  /** Ends the links to devices that may no longer be in the beam. */
  remove(devices: readonly DeviceId[]): void {
    this.#devices = this.#devices.filter((device) => !devices.includes(device))
    for (const device of devices) this.#drop(device)
  }

  close(): void {
    for (const device of [...this.#attempts.keys()]) this.#drop(device)
    for (const timers of [this.#retries, this.#answered]) {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    }
    this.#failures.clear()
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

  #build(device: DeviceId): void {
    this.#drop(device)
    this.#open(device, this.#add(device, this.#makeName()), true)
  }

  #add(device: DeviceId, session: string): Attempt {
    const key = this.#makeName()
    const limit = setTimeout(() => this.#closed(device, key), ATTEMPT_LIMIT_MS)
    const attempt: Attempt = {
      session,
      key,
      link: null,
      early: [],
      hasBegun: false,
      isConnected: false,
      limit,
    }
    this.#attempts.set(device, attempt)
    return attempt
  }

  #open(device: DeviceId, attempt: Attempt, initiator: boolean): void {
    attempt.hasBegun = true
    // If the library does not load, or the browser allows no further connection, the attempt is repeated later.
    void this.#load()
      .then((openPeerLink) => this.#begin(device, attempt, initiator, openPeerLink))
      .catch(() => this.#attempts.get(device) === attempt && this.#closed(device, attempt.key))
  }

  #begin(device: DeviceId, attempt: Attempt, initiator: boolean, openPeerLink: OpenPeerLink): void {
    const isCurrent = () => this.#attempts.get(device) === attempt
    if (!isCurrent()) return
    const { session, key } = attempt
    const takeChannel = (channel: RTCDataChannel) => this.#events.takeChannel(device, key, channel)
    const link = openPeerLink(
      { initiator, iceServers: this.#iceServers, takeChannel },
      {
        onSignal: (signal) => isCurrent() && this.#events.sendSignal(device, { session, signal }),
        onConnect: (via, maxMessageBytes) => {
          if (!isCurrent()) return
          attempt.isConnected = true
          clearTimeout(attempt.limit)
          this.#failures.delete(device)
          this.#events.onConnect(device, key, via, maxMessageBytes)
        },
        onPath: (via) => isCurrent() && this.#events.onPath(device, via),
        onClose: () => isCurrent() && this.#closed(device, key),
      },
    )
    attempt.link = link
    for (const signal of attempt.early.splice(0)) link.signal(signal)
  }

  #feed(attempt: Attempt, signal: unknown): void {
    if (attempt.link) attempt.link.signal(signal)
    else attempt.early.push(signal)
  }

  #closed(device: DeviceId, key: LinkKey): void {
    if (this.#attempts.get(device)?.key !== key) return
    this.#drop(device)
    this.#events.onClose(device)
    if (!this.#begins(device)) return
    const failures = this.#failures.get(device) ?? 0
    this.#failures.set(device, failures + 1)
    const delay = REBUILD_DELAYS_MS[Math.min(failures, REBUILD_DELAYS_MS.length - 1)]
    const retry = setTimeout(() => {
      this.#retries.delete(device)
      if (this.#begins(device)) this.#build(device)
    }, delay)
    this.#retries.set(device, retry)
  }

  /** Ends an attempt that has not connected. */
  #giveUp(device: DeviceId): void {
    if (!this.#attempts.get(device)?.isConnected) this.#drop(device)
  }

  #drop(device: DeviceId): void {
    const attempt = this.#attempts.get(device)
    this.#attempts.delete(device)
    clearTimeout(attempt?.limit)
    attempt?.link?.close()
    if (attempt?.hasBegun) this.#events.dropChannel(device, attempt.key)
    clearTimeout(this.#retries.get(device))
    this.#retries.delete(device)
  }
}
