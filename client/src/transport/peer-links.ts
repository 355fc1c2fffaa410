/** Keeps a direct link to each device that can have one: who initiates, which attempt counts, when to retry (L1). */
import * as v from 'valibot'
import type { Device, DeviceId, IceServer } from '../protocol/bindings'
import type { OpenPeerLink, PeerLink } from './peer-link'

export interface PeerLinksEvents {
  sendSignal(to: DeviceId, message: unknown): void
  /** Takes a new channel, in the task that created it. */
  takeChannel(device: DeviceId, session: string, channel: RTCDataChannel): void
  onConnect(device: DeviceId, session: string, via: 'direct' | 'turn', maxMessageBytes: number): void
  onClose(device: DeviceId): void
}

interface Attempt {
  readonly session: string
  /** Null while the library loads. */
  link: PeerLink | null
  /** Signals that arrived before the link existed. */
  early: unknown[]
  isConnected: boolean
  /** Ends the attempt when it has not connected in time. */
  limit: ReturnType<typeof setTimeout>
}

/**
 * Limit for one attempt: a few round trips of ICE and DTLS through a slow TURN server. Without a limit, a lost answer
 * would be waited for forever. The devices use the relay meanwhile.
 */
export const ATTEMPT_LIMIT_MS = 15_000

/** Pauses before a dead link is rebuilt, while the relay carries the frames. The last one repeats. */
const REBUILD_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, 60_000]

const envelope = v.object({ session: v.string(), signal: v.unknown() })

export class PeerLinks {
  readonly #events: PeerLinksEvents
  readonly #load: () => Promise<OpenPeerLink>
  readonly #makeSession: () => string
  #me: DeviceId | null = null
  #iceServers: readonly IceServer[] = []
  /** Devices with WebRTC in the order in which they joined, this one included. */
  #devices: readonly DeviceId[] = []
  readonly #attempts = new Map<DeviceId, Attempt>()
  readonly #failures = new Map<DeviceId, number>()
  readonly #retries = new Map<DeviceId, ReturnType<typeof setTimeout>>()

  /** @param load loads the library, on first use */
  constructor(load: () => Promise<OpenPeerLink>, makeSession: () => string, events: PeerLinksEvents) {
    this.#load = load
    this.#makeSession = makeSession
    this.#events = events
  }

  /** The socket is new. Signals sent over the old one may be lost, so unfinished attempts are restarted. */
  welcome(me: DeviceId, iceServers: readonly IceServer[]): void {
    this.#me = me
    this.#iceServers = iceServers
    this.#failures.clear()
    for (const device of [...this.#retries.keys(), ...this.#attempts.keys()]) this.#giveUp(device)
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
    this.#feed(this.#open(from, session, false), signal)
  }

  /** Closes a link that was found dead. */
  fail(device: DeviceId, session: string): void {
    if (this.#attempts.get(device)?.session === session) this.#closed(device, session)
  }

  /** The server could not forward a signal, so an attempt that depends on it has failed. */
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
    this.#open(device, this.#makeSession(), true)
  }

  #open(device: DeviceId, session: string, initiator: boolean): Attempt {
    const ended = () => this.#closed(device, session)
    const limit = setTimeout(ended, ATTEMPT_LIMIT_MS)
    const attempt: Attempt = { session, link: null, early: [], isConnected: false, limit }
    this.#attempts.set(device, attempt)
    // If the library does not load, or the browser allows no further connection, the attempt is repeated later.
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

  /** Ends an attempt that has not connected. */
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
