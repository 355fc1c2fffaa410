/** A device that gives chunks of a file which this device receives. */
import type { Supply } from '../protocol/swarm'
import type { IncomingFile } from './engine-messages'
import type { Arriving, RemoteDevice } from './remote-device'

/** The transfer, as far as one of its givers needs it. */
interface Receives {
  readonly file: IncomingFile
  readonly isOpen: boolean
  readonly source: RemoteDevice
}

export class Giver implements Arriving {
  /** When chunks of the file last came from it, or were first expected of it, in milliseconds. */
  #heardAt: number | null = null

  constructor(
    readonly incoming: Receives,
    readonly device: RemoteDevice,
    readonly receiver: Supply,
  ) {}

  get file(): IncomingFile {
    return this.incoming.file
  }

  get isOpen(): boolean {
    return this.incoming.isOpen
  }

  /** Other devices give it besides the files that they share themselves. */
  get takesTurn(): boolean {
    return this.device === this.incoming.source
  }

  /** Something is wanted of it. */
  wanted(now: number): void {
    this.#heardAt ??= now
  }

  /** Chunks came from it. */
  gave(now: number): void {
    this.#heardAt = now
  }

  /** Whether something is expected of it, and nothing of the file has come from it for some milliseconds. */
  isSilent(milliseconds: number, now: number): boolean {
    if (this.waiting === 0) this.#heardAt = null
    return this.#heardAt !== null && now - this.#heardAt > milliseconds
  }

  /** Bytes that are expected of it. */
  get waiting(): number {
    return this.device.links.reduce((sum, { key }) => sum + this.receiver.waitingOn(key), 0)
  }
}
