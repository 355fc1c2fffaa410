/** One file that comes: the receiver's rules, and the sink that its bytes go to. */
import { CHUNK_BYTES } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import { Receiver } from '../protocol/receiver'
import type { IncomingFile } from './engine-messages'
import type { FrameLink } from './frame-link'
import { Speed } from './progress'
import type { RemoteDevice } from './remote-device'
import type { Sink, SinkFile } from './sinks/sink'

export interface IncomingEvents {
  /** The sink is open, or bytes became durable: there is room to want more. */
  onRoom(incoming: Incoming): void
  /** The sink broke; the message is for the person. */
  onBroken(incoming: Incoming, why: string): void
}

/** How a transfer ended. */
export type Ending = 'done' | 'cancelled' | 'failed'

type State =
  /** Other files go first. */
  | { at: 'queued' }
  | { at: 'opening' }
  | { at: 'open'; sink: Sink }
  | { at: 'finishing' }
  | { at: 'ended'; how: Ending }

export type OpenSink = (file: SinkFile, picked: FileSystemFileHandle | null) => Promise<Sink>

export class Incoming {
  readonly receiver: Receiver
  readonly speed = new Speed()
  /** The way that the last chunk took. */
  kind: FrameLink['kind'] = 'direct'
  /** What the page was told last while nothing moved: of a thousand files that wait, it hears once each. */
  waits: 'queued' | 'parked' | null = null
  #state: State = { at: 'queued' }

  /** @param source the device that has the bytes; several, once a file can come from several */
  constructor(
    readonly file: IncomingFile,
    readonly picked: FileSystemFileHandle | null,
    readonly source: RemoteDevice,
    readonly events: IncomingEvents,
  ) {
    this.receiver = new Receiver(file.size)
  }

  get isQueued(): boolean {
    return this.#state.at === 'queued'
  }

  get isOpen(): boolean {
    return this.#state.at === 'open'
  }

  get hasEnded(): boolean {
    return this.#state.at === 'ended'
  }

  get isDone(): boolean {
    return this.#state.at === 'ended' && this.#state.how === 'done'
  }

  /** Its turn has come. A sink that opens after the transfer ended is given back. */
  open(openSink: OpenSink): void {
    this.#state = { at: 'opening' }
    void openSink(this.file, this.picked).then(
      (sink) => {
        if (this.#state.at !== 'opening') return discard(sink)
        this.#state = { at: 'open', sink }
        this.events.onRoom(this)
      },
      (error: unknown) => this.#broke(error),
    )
  }

  /** Chunks came, on whatever link. */
  chunk(first: number, bytes: Uint8Array<ArrayBuffer>, kind: FrameLink['kind']): void {
    if (this.#state.at !== 'open') return
    const { sink } = this.#state
    this.kind = kind
    for (const range of this.receiver.arrived(first, bytes.byteLength)) {
      const from = (range.first - first) * CHUNK_BYTES
      this.#write(sink, range, bytes.subarray(from, from + range.count * CHUNK_BYTES))
    }
  }

  #write(sink: Sink, range: ChunkRange, bytes: Uint8Array<ArrayBuffer>): void {
    const wrote = () => {
      this.receiver.wrote(range)
      if (!this.hasEnded) this.events.onRoom(this)
    }
    try {
      const written = sink.write(range.first * CHUNK_BYTES, bytes)
      if (written === undefined) wrote()
      else void written.then(wrote, (error: unknown) => this.#broke(error))
    } catch (error) {
      this.#broke(error)
    }
  }

  /**
   * Everything is durable: makes the file of it, null when it went where the person picked.
   * @throws when that fails, or when the transfer was ended meanwhile; nothing is left behind then
   */
  async finish(): Promise<Blob | null> {
    if (this.#state.at !== 'open') throw new Error('The file is not open.')
    const { sink } = this.#state
    this.#state = { at: 'finishing' }
    try {
      const file = await sink.finish()
      if (this.hasEnded) throw new Error('The transfer was ended.')
      return file
    } catch (error) {
      discard(sink)
      throw error
    }
  }

  /** Ends it. What was written goes, unless all of it is here. */
  end(how: Ending): void {
    const state = this.#state
    this.#state = { at: 'ended', how }
    if (state.at === 'open') discard(state.sink)
  }

  #broke(error: unknown): void {
    if (!this.hasEnded) this.events.onBroken(this, wordsFor(error))
  }
}

/** What cannot be removed now is swept up later. */
function discard(sink: Sink): void {
  void sink.discard().catch(() => {})
}

/** A sentence for the person. */
export function wordsFor(error: unknown): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') {
    return 'The space of this device is used up.'
  }
  return error instanceof Error && error.message !== '' ? error.message : 'The file could not be written.'
}
