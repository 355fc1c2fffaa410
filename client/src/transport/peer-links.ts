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
}

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

  welcome(me: DeviceId, iceServers: readonly IceServer[]): void {
    this.#me = me
    this.#iceServers = iceServers
  }

  /** The devices of the beam changed. A link to a device that the server does not list lives on while it works. */
  setDevices(devices: readonly Device[]): void {
    this.#devices = devices.filter(({ caps }) => caps.includes('rtc')).map(({ device_id }) => device_id)
    for (const device of this.#devices) {
      if (this.#begins(device) && !this.#attempts.has(device) && !this.#retries.has(device))
        this.#build(device)
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
    const attempt: Attempt = { session, link: null, early: [] }
    this.#attempts.set(device, attempt)
    const isCurrent = () => this.#attempts.get(device) === attempt
    void this.#load().then((openPeerLink) => {
      if (!isCurrent()) return
      attempt.link = openPeerLink(
        {
          initiator,
          iceServers: this.#iceServers,
          takeChannel: (channel) => this.#events.takeChannel(device, session, channel),
        },
        {
          onSignal: (signal) => isCurrent() && this.#events.sendSignal(device, { session, signal }),
          onConnect: (via, maxMessageBytes) => {
            if (!isCurrent()) return
            this.#failures.delete(device)
            this.#events.onConnect(device, session, via, maxMessageBytes)
          },
          onClose: () => isCurrent() && this.#closed(device, session),
        },
      )
      for (const signal of attempt.early.splice(0)) attempt.link.signal(signal)
    })
    return attempt
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

  #drop(device: DeviceId): void {
    const attempt = this.#attempts.get(device)
    this.#attempts.delete(device)
    attempt?.link?.close()
    clearTimeout(this.#retries.get(device))
    this.#retries.delete(device)
  }
}
