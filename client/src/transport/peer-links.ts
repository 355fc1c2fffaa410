/** Keeps a direct link to each device that can have one: who begins, which attempt counts, when to try again (L1). */
import * as v from 'valibot'
import type { Device, DeviceId, IceServer } from '../protocol/bindings'
import type { OpenPeerLink, PeerLink } from './peer-link'

export interface PeerLinksEvents {
  sendSignal(to: DeviceId, message: unknown): void
  /** A new channel, in the task that made it. */
  takeChannel(device: DeviceId, session: string, channel: RTCDataChannel): void
  onConnect(device: DeviceId, session: string, via: 'direct' | 'turn', maxMessageBytes: number): void
  onClose(device: DeviceId): void
}

interface Attempt {
  readonly session: string
  /** Null while the library is loading. */
  link: PeerLink | null
  /** What came before the link was there. */
  early: unknown[]
  isConnected: boolean
  /** Ends the attempt when it does not connect in time. */
  limit: ReturnType<typeof setTimeout>
}

/**
 * How long an attempt may take: a few round trips of ICE and DTLS through a slow TURN server. An answer that was lost
 * never comes, and the devices use the relay meanwhile.
 */
export const ATTEMPT_LIMIT_MS = 15_000

/** Pause before a dead link is built anew; the relay carries meanwhile. The last one repeats. */
const REBUILD_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, 60_000]

const envelope = v.object({ session: v.string(), signal: v.unknown() })

export class PeerLinks {
  readonly #events: PeerLinksEvents
  readonly #load: () => Promise<OpenPeerLink>
  readonly #makeSession: () => string
  #me: DeviceId | null = null
  #iceServers: readonly IceServer[] = []
  /** Devices with WebRTC, in joining order, this one included. */
  #devices: readonly DeviceId[] = []
  readonly #attempts = new Map<DeviceId, Attempt>()
  readonly #failures = new Map<DeviceId, number>()
  readonly #retries = new Map<DeviceId, ReturnType<typeof setTimeout>>()

  /** @param load brings the library, on demand */
  constructor(load: () => Promise<OpenPeerLink>, makeSession: () => string, events: PeerLinksEvents) {
    this.#load = load
    this.#makeSession = makeSession
    this.#events = events
  }

  /** A new socket: what was signaled over the old one may be lost, so attempts are begun anew. */
  welcome(me: DeviceId, iceServers: readonly IceServer[]): void {
    this.#me = me
    this.#iceServers = iceServers
    this.#failures.clear()
    for (const device of [...this.#retries.keys(), ...this.#attempts.keys()]) this.#giveUp(device)
  }

  /** The devices of the beam changed. A link to a device that the server does not list lives on while it works. */
  setDevices(devices: readonly Device[]): void {
    this.#devices = devices.filter(({ caps }) => caps.includes('rtc')).map(({ device_id }) => device_id)
    for (const device of this.#attempts.keys()) if (!this.#devices.includes(device)) this.#giveUp(device)
    for (const device of this.#devices) {
      if (this.#begins(device) && !this.#attempts.has(device) && !this.#retries.has(device)) {
        this.#build(device)
      }
    }
  }

  /** A signal came. An offer with a new session replaces the link; anything else of another session is late news. */
  handleSignal(from: DeviceId, message: unknown): void {
    const parsed = v.safeParse(envelope, message)
    if (!parsed.success) return
    const { session, signal } = parsed.output
    const attempt = this.#attempts.get(from)
    if (attempt?.session === session) return this.#feed(attempt, signal)
    const isOffer = v.is(v.object({ type: v.literal('offer') }), signal)
    if (!isOffer || this.#begins(from)) return
    this.#drop(from)
    this.#feed(this.#open(from, session, false), signal)
  }

  /** A link is of no use any more, says whoever watches what comes over it. */
  fail(device: DeviceId, session: string): void {
    if (this.#attempts.get(device)?.session === session) this.#closed(device, session)
  }

  /** The server could not pass a signal on: an attempt that needs it fails. */
  unreachable(device: DeviceId): void {
    const attempt = this.#attempts.get(device)
    if (attempt && !attempt.isConnected) this.#closed(device, attempt.session)
  }

  close(): void {
    for (const device of [...this.#attempts.keys()]) this.#drop(device)
    for (const retry of this.#retries.values()) clearTimeout(retry)
    this.#retries.clear()
    this.#failures.clear()
    this.#devices = []
  }

  /** Of two devices, the one later in the list begins. */
  #begins(device: DeviceId): boolean {
    return (
      this.#me !== null &&
      this.#devices.indexOf(this.#me) > this.#devices.indexOf(device) &&
      this.#devices.includes(device)
    )
  }

  #build(device: DeviceId): void {
    this.#drop(device)
    this.#open(device, this.#makeSession(), true)
  }

  #open(device: DeviceId, session: string, initiator: boolean): Attempt {
    const ended = () => this.#closed(device, session)
    const limit = setTimeout(ended, ATTEMPT_LIMIT_MS)
    const attempt: Attempt = { session, link: null, early: [], isConnected: false, limit }
    this.#attempts.set(device, attempt)
    // Without the library, or when the browser makes no further connection, it is tried again later.
    void this.#load()
      .then((openPeerLink) => this.#begin(device, attempt, initiator, openPeerLink))
      .catch(() => this.#attempts.get(device) === attempt && ended())
    return attempt
  }

  #begin(device: DeviceId, attempt: Attempt, initiator: boolean, openPeerLink: OpenPeerLink): void {
    const isCurrent = () => this.#attempts.get(device) === attempt
    if (!isCurrent()) return
    const { session } = attempt
    const takeChannel = (channel: RTCDataChannel) => this.#events.takeChannel(device, session, channel)
    const link = openPeerLink(
      { initiator, iceServers: this.#iceServers, takeChannel },
      {
        onSignal: (signal) => isCurrent() && this.#events.sendSignal(device, { session, signal }),
        onConnect: (via, maxMessageBytes) => {
          if (!isCurrent()) return
          attempt.isConnected = true
          clearTimeout(attempt.limit)
          this.#failures.delete(device)
          this.#events.onConnect(device, session, via, maxMessageBytes)
        },
        onClose: () => isCurrent() && this.#closed(device, session),
      },
    )
    attempt.link = link
    for (const signal of attempt.early.splice(0)) link.signal(signal)
  }

  #feed(attempt: Attempt, signal: unknown): void {
    if (attempt.link) attempt.link.signal(signal)
    else attempt.early.push(signal)
  }

  #closed(device: DeviceId, session: string): void {
    if (this.#attempts.get(device)?.session !== session) return
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

  /** Ends what has not connected: it cannot any more, or is begun anew. */
  #giveUp(device: DeviceId): void {
    if (!this.#attempts.get(device)?.isConnected) this.#drop(device)
  }

  #drop(device: DeviceId): void {
    const attempt = this.#attempts.get(device)
    this.#attempts.delete(device)
    clearTimeout(attempt?.limit)
    attempt?.link?.close()
    clearTimeout(this.#retries.get(device))
    this.#retries.delete(device)
  }
}
