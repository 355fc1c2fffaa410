/** One file that comes: the receiver's rules, and the sink that its bytes go to. */
import { CHUNK_BYTES } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import { Receiver } from '../protocol/receiver'
import type { IncomingFile } from './engine-messages'
import type { FrameLink } from './frame-link'
import type { Sink } from './sinks/sink'

export interface IncomingEvents {
  /** Bytes became durable: there is room to want more. */
  onDurable(): void
  /** The sink broke; the message is for the person. */
  onBroken(why: string): void
}

export class Incoming {
  readonly receiver: Receiver
  /** Null until it is open. */
  #sink: Sink | null = null
  /** The way that the last chunk took. */
  kind: FrameLink['kind'] = 'direct'
  /** When something last came, or was first wanted. */
  lastArrival: number
  readonly #events: IncomingEvents

  constructor(
    readonly file: IncomingFile,
    now: number,
    events: IncomingEvents,
  ) {
    this.receiver = new Receiver(file.size)
    this.lastArrival = now
    this.#events = events
  }

  get isOpen(): boolean {
    return this.#sink !== null
  }

  opened(sink: Sink): void {
    this.#sink = sink
  }

  /** Chunks came, on whatever link. */
  chunk(first: number, bytes: Uint8Array<ArrayBuffer>, kind: FrameLink['kind'], now: number): void {
    const sink = this.#sink
    if (!sink) return
    this.lastArrival = now
    this.kind = kind
    for (const range of this.receiver.arrived(first, bytes.byteLength)) {
      const from = (range.first - first) * CHUNK_BYTES
      this.#write(sink, range, bytes.subarray(from, from + range.count * CHUNK_BYTES))
    }
  }

  #write(sink: Sink, range: ChunkRange, bytes: Uint8Array<ArrayBuffer>): void {
    const wrote = () => {
      this.receiver.wrote(range)
      this.#events.onDurable()
    }
    const broke = (error: unknown) => this.#events.onBroken(wordsFor(error))
    try {
      const written = sink.write(range.first * CHUNK_BYTES, bytes)
      if (written === undefined) wrote()
      else void written.then(wrote, broke)
    } catch (error) {
      broke(error)
    }
  }

  async finish(): Promise<Blob | null> {
    const sink = this.#sink
    this.#sink = null
    return sink ? sink.finish() : null
  }

  /** Ends badly; what was written is removed. Failing to remove it is swept up later. */
  abort(): void {
    void this.#sink?.abort().catch(() => {})
    this.#sink = null
  }
}

/** A sentence for the person. */
export function wordsFor(error: unknown): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') {
    return 'The space of this device is used up.'
  }
  return error instanceof Error && error.message !== '' ? error.message : 'The file could not be written.'
}
