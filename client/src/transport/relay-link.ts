/** The links through the server. They share one websocket, which belongs to the page. */
import { type DeviceId, MAX_RELAYED_FRAME_BYTES } from '../protocol/bindings'
import { type FrameLink, MOST_UNSENT_BYTES } from './frame-link'
import { Gate } from './gate'

/** Chunks wait while the websocket buffers this much, so that a shared text waits behind no more than that. */
export const RELAY_HIGH_WATER_BYTES = 512 * 1024
/** A websocket has no event for a drained buffer, so it is polled at this interval while chunks wait. */
const ASK_AGAIN_MS = 10

/** The page's websocket, as the engine uses it. */
export interface RelaySocket {
  send(to: DeviceId, frame: Uint8Array<ArrayBuffer>): void
  /** Asks how many bytes the websocket has not sent yet. The answer comes by `Relay.waits`. */
  ask(): void
}

export class Relay {
  #isUp = false
  /** Bytes known to wait in the websocket. */
  #waiting = 0
  /** Bytes handed over since the page was asked; null when no answer is outstanding. */
  #sinceAsked: number | null = null
  readonly #gate = new Gate()

  constructor(readonly socket: RelaySocket) {}

  get isUp(): boolean {
    return this.#isUp
  }

  setUp(up: boolean): void {
    this.#isUp = up
    this.#waiting = 0
    this.#sinceAsked = null
    this.#gate.open()
  }

  send(to: DeviceId, frame: Uint8Array<ArrayBuffer>): void {
    if (!this.#isUp) return
    // What is lost here is sent again, like what is lost with a link (F6, F7). The websocket belongs to other devices too.
    if (this.#waiting > MOST_UNSENT_BYTES) return this.#ask()
    this.#waiting += frame.byteLength
    if (this.#sinceAsked !== null) this.#sinceAsked += frame.byteLength
    this.socket.send(to, frame)
  }

  room(): Promise<void> | null {
    if (!this.#isUp || this.#waiting < RELAY_HIGH_WATER_BYTES) return null
    this.#ask()
    return this.#gate.wait()
  }

  /** Takes the page's answer: the bytes that waited in the websocket when it was asked. */
  waits(bytes: number): void {
    if (this.#sinceAsked === null) return
    this.#waiting = bytes + this.#sinceAsked
    this.#sinceAsked = null
    if (this.#waiting < RELAY_HIGH_WATER_BYTES) this.#gate.open()
    else setTimeout(() => this.#ask(), ASK_AGAIN_MS)
  }

  #ask(): void {
    if (!this.#isUp || this.#sinceAsked !== null) return
    this.#sinceAsked = 0
    this.socket.ask()
  }
}

/** The link to one device through the server. */
export class RelayLink implements FrameLink {
  readonly kind = 'relay'
  readonly key: string
  // The websocket counts for all devices together, and holds little.
  readonly unsent = 0
  // The server counts the address as part of the message.
  maxFrame = MAX_RELAYED_FRAME_BYTES
  #isPaused = false
  readonly #gate = new Gate()

  constructor(
    readonly relay: Relay,
    readonly to: DeviceId,
  ) {
    this.key = `relay to ${to}`
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  send(frame: Uint8Array<ArrayBuffer>): void {
    this.relay.send(this.to, frame)
  }

  room(): Promise<void> | null {
    return this.#isPaused ? this.#gate.wait() : this.relay.room()
  }

  /** Stops sending: the server accepts no frame for this device now (R4). */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#gate.open()
  }

  close(): void {}
}
