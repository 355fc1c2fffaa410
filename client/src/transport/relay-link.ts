/** The links through the server. All of them share one websocket, which belongs to the page. */
import { type DeviceId, MAX_RELAYED_FRAME_BYTES } from '../protocol/bindings'
import type { FrameLink } from './frame-link'
import { Gate } from './gate'

/** Chunks stop while so much waits in the websocket: a text that is shared meanwhile waits behind no more. */
export const RELAY_HIGH_WATER_BYTES = 512 * 1024
/** A websocket does not tell when it has drained, so it is asked again, and only while chunks wait. */
const ASK_AGAIN_MS = 10

/** What the engine asks of the page. */
export interface RelaySocket {
  send(to: DeviceId, frame: Uint8Array<ArrayBuffer>): void
  /** Asks how many bytes the websocket has not sent yet; `Relay.waits` is the answer. */
  ask(): void
}

export class Relay {
  #isUp = false
  /** Bytes that wait in the websocket, as far as is known here. */
  #waiting = 0
  /** Bytes handed over since the page was asked; null when no answer is due. */
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
    this.#waiting += frame.byteLength
    if (this.#sinceAsked !== null) this.#sinceAsked += frame.byteLength
    this.socket.send(to, frame)
  }

  room(): Promise<void> | null {
    if (!this.#isUp || this.#waiting < RELAY_HIGH_WATER_BYTES) return null
    this.#ask()
    return this.#gate.wait()
  }

  /** The page's answer: bytes that waited in the websocket when it was asked. */
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
  // The server counts the address into its limit for one message.
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

  /** The server takes no frame for this device now. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#gate.open()
  }

  close(): void {}
}
