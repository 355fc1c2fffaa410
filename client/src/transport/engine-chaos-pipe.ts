/**
 * For tests: a direct link between two devices, whose data channels hold what is sent until the test takes it. Unlike
 * `StageChannel` it has no port, so that a run is the same each time.
 */
import type { DeviceId } from '../protocol/bindings'
import type { Channels } from './channel-link'
import type { Engine } from './engine'
import type { Route } from './engine-chaos-witness'

/** One end of a data channel. */
class Channel {
  readyState: RTCDataChannelState = 'connecting'
  binaryType = ''
  bufferedAmount = 0
  bufferedAmountLowThreshold = 0
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onerror: (() => void) | null = null
  onbufferedamountlow: (() => void) | null = null
  readonly #sent: ArrayBuffer[] = []

  /** @param onSent called with each frame as the device sends it */
  constructor(readonly onSent: (frame: ArrayBuffer) => void) {}

  send(frame: Uint8Array<ArrayBuffer>): void {
    const { buffer } = frame.slice()
    this.onSent(buffer)
    this.#sent.push(buffer)
    this.bufferedAmount += frame.byteLength
  }

  /** Takes the oldest frames that were sent. */
  take(most: number): ArrayBuffer[] {
    const taken = this.#sent.splice(0, most)
    this.bufferedAmount -= taken.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (taken.length > 0 && this.bufferedAmount <= this.bufferedAmountLowThreshold)
      this.onbufferedamountlow?.()
    return taken
  }

  close(): void {
    this.readyState = 'closed'
  }

  closes(): void {
    if (this.readyState === 'closed') return
    this.readyState = 'closed'
    this.onclose?.()
  }
}

interface PipeDevice {
  readonly id: DeviceId
  /** Absent for a device that keeps to no protocol. */
  readonly engine?: Engine
}

/** The end of a pipe at one device. */
export class PipeEnd {
  readonly at: DeviceId
  readonly #bulk: Channel
  readonly #control: Channel

  constructor(
    { id, engine }: PipeDevice,
    other: DeviceId,
    key: string,
    onSent: (route: Route, frame: ArrayBuffer) => void,
  ) {
    this.at = id
    const sent = (frame: ArrayBuffer) => onSent({ from: id, to: other, pipe: key }, frame)
    this.#bulk = new Channel(sent)
    this.#control = new Channel(sent)
    const channels = { bulk: this.#bulk, control: this.#control } as unknown as Channels
    engine?.handle({ do: 'channels', device: other, place: 0, key, channels })
  }

  get isClosed(): boolean {
    return this.#control.readyState === 'closed'
  }

  /** Takes what the device sent: at most so many frames of chunks, and all others. */
  take(mostChunks: number): ArrayBuffer[] {
    return [...this.#control.take(Number.POSITIVE_INFINITY), ...this.#bulk.take(mostChunks)]
  }

  hears(frame: ArrayBuffer): void {
    if (!this.isClosed) this.#bulk.onmessage?.({ data: frame })
  }

  opens(): void {
    for (const channel of [this.#bulk, this.#control]) if (!this.isClosed) channel.readyState = 'open'
    this.#control.onopen?.()
  }

  closes(): void {
    this.#bulk.closes()
    this.#control.closes()
  }
}

export class Pipe {
  readonly ends: readonly [PipeEnd, PipeEnd]

  constructor(
    readonly key: string,
    [one, other]: readonly [PipeDevice, PipeDevice],
    onSent: (route: Route, frame: ArrayBuffer) => void,
  ) {
    this.ends = [new PipeEnd(one, other.id, key, onSent), new PipeEnd(other, one.id, key, onSent)]
    for (const end of this.ends) end.opens()
  }

  /** Whether it is open for one device at least. */
  get isOpen(): boolean {
    return this.ends.some(({ isClosed }) => !isClosed)
  }

  isAt(device: DeviceId): boolean {
    return this.ends.some(({ at }) => at === device)
  }
}
