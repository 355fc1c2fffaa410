/** The links through the server. They share one websocket, which belongs to the page. */
import { type DeviceId, MAX_RELAYED_FRAME_BYTES, type RelayUse } from '../protocol/bindings'
import { type FrameLink, MOST_UNSENT_BYTES } from './frame-link'
import { Gate } from './gate'

/** Chunks wait while the websocket buffers this much, however fast it is. */
export const RELAY_HIGH_WATER_BYTES = 512 * 1024
/** On a slow line it buffers less, but never so little that it would run dry between two answers. */
export const RELAY_LOW_WATER_BYTES = 16 * 1024
/** So much may be buffered before the line has been measured: a frame of four chunks. */
const FIRST_WATER_BYTES = 64 * 1024
/**
 * What is buffered is sent within so many milliseconds. With the frame that goes over it, a shared text waits behind a file
 * for less than 100 ms from 13 Mbit/s on. It is several times the pause between two looks, so the socket does not run dry.
 */
const BUFFERED_MS = 60
/** The speed is measured over at least so long: a browser passes bytes on in bursts. */
const MEASURED_MS = 40
/** A websocket has no event for a drained buffer, so it is polled at this interval while chunks wait. */
const ASK_AGAIN_MS = 10

/** Frames that are remembered before those that have left are forgotten. */
const MOST_FRAMES = 256

/** The page's websocket, as the engine uses it. */
export interface RelaySocket {
  send(to: DeviceId, frame: Uint8Array<ArrayBuffer>): void
  /** Asks how many bytes the websocket has not sent yet. The answer comes by `Relay.waits`. */
  ask(): void
}

export class Relay {
  #use: RelayUse | null = null
  /** Bytes known to wait in the websocket. */
  #waiting = 0
  /** Bytes handed over since the page was asked; null when no answer is outstanding. */
  #sinceAsked: number | null = null
  /** Bytes handed over so far. */
  #handed = 0
  /** The answer from which on is measured: when it came, in milliseconds, and how many bytes had left by then. */
  #answered: { at: number; left: number } | null = null
  #mostWaiting = FIRST_WATER_BYTES
  readonly #gate = new Gate()

  /** @param now milliseconds of a steady clock */
  constructor(
    readonly socket: RelaySocket,
    readonly now: () => number,
  ) {}

  /** Bytes handed over so far. */
  get handed(): number {
    return this.#handed
  }

  /** How many of them have left the websocket, as far as is known. */
  get left(): number {
    return this.#handed - this.#waiting
  }

  /** Whether the server forwards frames now. */
  get isUp(): boolean {
    return this.#use !== null && this.#use !== 'off'
  }

  /** Where files go through the server (R6); null while it cannot be reached. */
  get use(): RelayUse | null {
    return this.#use
  }

  set use(use: RelayUse | null) {
    this.#use = use
    this.#waiting = 0
    this.#sinceAsked = null
    this.#answered = null
    this.#mostWaiting = FIRST_WATER_BYTES
    this.#gate.open()
  }

  send(to: DeviceId, frame: Uint8Array<ArrayBuffer>): void {
    if (!this.isUp) return
    // What is lost here is sent again, like what is lost with a link (F6, F7). The websocket belongs to other devices too.
    if (this.#waiting > MOST_UNSENT_BYTES) return this.#ask()
    this.#waiting += frame.byteLength
    this.#handed += frame.byteLength
    if (this.#sinceAsked !== null) this.#sinceAsked += frame.byteLength
    this.socket.send(to, frame)
  }

  room(): Promise<void> | null {
    if (!this.isUp || this.#waiting < this.#mostWaiting) return null
    this.#ask()
    return this.#gate.wait()
  }

  /** Takes the page's answer: the bytes that waited in the websocket when it was asked. */
  waits(bytes: number): void {
    if (this.#sinceAsked === null) return
    this.#waiting = bytes + this.#sinceAsked
    this.#sinceAsked = null
    this.#measure()
    if (this.#waiting < this.#mostWaiting) this.#gate.open()
    else setTimeout(() => this.#ask(), ASK_AGAIN_MS)
  }

  /** Asks how much waits, if anything may. */
  look(): void {
    if (this.#waiting > 0) this.#ask()
  }

  /** Sets how much may wait by how fast it leaves. A socket that has run dry could have had more. */
  #measure(): void {
    const [before, at, left] = [this.#answered, this.now(), this.left]
    if (this.#waiting === 0) this.#mostWaiting = Math.min(RELAY_HIGH_WATER_BYTES, 2 * this.#mostWaiting)
    else if (before && at - before.at < MEASURED_MS) return
    else if (before) {
      const fits = ((left - before.left) * BUFFERED_MS) / (at - before.at)
      this.#mostWaiting = Math.min(RELAY_HIGH_WATER_BYTES, Math.max(RELAY_LOW_WATER_BYTES, fits))
    }
    this.#answered = { at, left }
  }

  #ask(): void {
    if (!this.isUp || this.#sinceAsked !== null) return
    this.#sinceAsked = 0
    this.socket.ask()
  }
}

/** A frame in the websocket: its size, the bytes handed over with it, and whether it is none of chunks. */
interface HandedOver {
  readonly bytes: number
  readonly end: number
  readonly isSaid: boolean
}

/** The link to one device through the server. */
export class RelayLink implements FrameLink {
  readonly kind = 'relay'
  readonly key: string
  /** The frames that may not have left yet, the oldest first. */
  #frames: HandedOver[] = []
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

  get unsent(): number {
    return this.#waiting().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get unsaid(): number {
    return this.#waiting().reduce((sum, { bytes, isSaid }) => sum + (isSaid ? bytes : 0), 0)
  }

  send(frame: Uint8Array<ArrayBuffer>): void {
    this.#hand(frame, false)
  }

  /** The websocket keeps one order. */
  say(frame: Uint8Array<ArrayBuffer>): void {
    this.#hand(frame, true)
  }

  /** Returns the frames that have not left, of the first only the part that has not. */
  #waiting(): readonly HandedOver[] {
    const { left } = this.relay
    this.#forgetSent()
    return this.#frames.map((frame) => ({ ...frame, bytes: Math.min(frame.bytes, frame.end - left) }))
  }

  /**
   * In a pause nothing goes, whatever it is: what is lost of it is asked for again, as what the server has dropped is. Chunks that
   * were on their way here when it began are named by `dropped`, answers by those who repeat what they have said (F7).
   */
  #hand(frame: Uint8Array<ArrayBuffer>, isSaid: boolean): void {
    if (this.#isPaused) return
    const { byteLength } = frame
    const before = this.relay.handed
    this.relay.send(this.to, frame)
    if (this.relay.handed > before) this.#frames.push({ bytes: byteLength, end: this.relay.handed, isSaid })
    if (this.#frames.length > MOST_FRAMES) this.#forgetSent()
  }

  #forgetSent(): void {
    this.#frames = this.#frames.filter(({ end }) => end > this.relay.left)
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
