/** For tests: what happens to frames on their way. */
import type { ItemId } from '../protocol/bindings'
import { CHUNK_HEADER_BYTES, decodeFrame, type Frame } from '../protocol/frames'
import type { Route } from './engine-chaos-witness'

/** What the network does, as parts of all frames and in milliseconds. */
export interface Weather {
  /** The relay drops a frame and tells its sender (R2). */
  readonly drops: number
  /** A frame is lost, and nobody is told. */
  readonly loses: number
  readonly repeats: number
  /** A frame comes so much later at most, and others overtake it (F5). */
  readonly late: number
  /** A bit of a chunk changes, unless the device that shared the file sent it. */
  readonly spoils: number
  /** A frame comes without its end. */
  readonly cuts: number
}

export const CALM: Weather = { drops: 0, loses: 0, repeats: 0, late: 0, spoils: 0, cuts: 0 }

/** Frames that are said again, or asked for again, without word of a new link. Only the server's word brings back others. */
const SAID_AGAIN = new Set<Frame['type'] | undefined>([
  'want',
  'chunk',
  'ping',
  'pong',
  'hashes',
  'ask',
  'have',
  'claim',
])

/** How long a frame takes on a calm day, in milliseconds. */
const DELAY_MS = 10

export interface NetworkEvents {
  arrives(route: Route, frame: ArrayBuffer): void
  /** The server dropped a frame on the relay. */
  refuses(route: Route): void
  /** Whether the device from which frames come has shared a file. */
  isSource(route: Route, item: ItemId): boolean
}

export class Network {
  weather = CALM
  /** What is to happen, in no order. */
  #underWay: { readonly at: number; readonly happens: () => void }[] = []

  constructor(
    readonly events: NetworkEvents,
    readonly random: () => number,
    readonly now: () => number,
  ) {}

  get isEmpty(): boolean {
    return this.#underWay.length === 0
  }

  carries(route: Route, buffer: ArrayBuffer): void {
    const frame = decodeFrame(buffer)
    const { drops, loses, repeats } = this.weather
    if (route.pipe === null && this.#chance(drops)) {
      return this.later(2 * DELAY_MS, () => this.events.refuses(route))
    }
    if (SAID_AGAIN.has(frame?.type) && this.#chance(loses)) return
    for (const copy of this.#chance(repeats) ? [buffer, buffer.slice(0)] : [buffer]) {
      const spoilt = this.#spoils(route, copy, frame)
      this.later(DELAY_MS + this.random() * this.weather.late, () => this.events.arrives(route, spoilt))
    }
  }

  #spoils(route: Route, buffer: ArrayBuffer, frame: Frame | null): ArrayBuffer {
    const { spoils, cuts } = this.weather
    if (frame?.type === 'chunk' && !this.events.isSource(route, frame.transfer) && this.#chance(spoils)) {
      const bytes = new Uint8Array(buffer.slice(0))
      const at = CHUNK_HEADER_BYTES + Math.floor(this.random() * frame.bytes.byteLength)
      bytes[at] = (bytes[at] ?? 0) ^ 0x10
      return bytes.buffer
    }
    if (!SAID_AGAIN.has(frame?.type) || !this.#chance(cuts)) return buffer
    return buffer.slice(0, Math.floor(this.random() * buffer.byteLength))
  }

  #chance(part: number): boolean {
    return part > 0 && this.random() < part
  }

  later(milliseconds: number, happens: () => void): void {
    this.#underWay.push({ at: this.now() + milliseconds, happens })
  }

  /** Lets everything happen whose time has come. */
  runs(): void {
    const now = this.now()
    const due = this.#underWay.filter(({ at }) => at <= now)
    this.#underWay = this.#underWay.filter(({ at }) => at > now)
    for (const { happens } of due.sort((a, b) => a.at - b.at)) happens()
  }
}
