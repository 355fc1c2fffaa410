/** One file that is sent to one device, and how much of it has left. */
import type { DeviceId, ItemId } from '../protocol/bindings'
import { Carriers } from '../protocol/carriers'
import { ChunkSet } from '../protocol/chunk-set'
import type { ControlFrame } from '../protocol/frames'
import type { LinkKey } from '../protocol/receiver'
import { Sender } from '../protocol/sender'
import type { Carrying } from './engine-messages'
import type { OfferedFile } from './offered-file'
import { Speed } from './progress'

/** The receiving device, as far as a transfer needs it. */
export interface Addressee {
  readonly id: DeviceId
  readonly links: readonly {
    readonly key: LinkKey
    readonly queue: { forget(outgoing: Outgoing): void; has(outgoing: Outgoing): boolean }
    readonly wire: { readonly unsent: number }
  }[]
  /** Bytes that it was told and that wait here; infinitely many while nothing can be said. */
  readonly unsaid: number
  carrying(links: readonly LinkKey[]): Carrying
  say(frame: ControlFrame): void
  /** Whether it has not answered yet that a transfer has ended. */
  isEnding(id: ItemId): boolean
  end(frame: Extract<ControlFrame, { type: 'done' | 'cancel' }>, now: number): void
}

export class Outgoing {
  readonly sender: Sender
  /** The pieces whose hashes it was told (F19). */
  told = new ChunkSet()
  readonly speed = new Speed()
  readonly carriers = new Carriers()
  /** When it last had something to send, in milliseconds. */
  busyAt = 0
  /** `paused`: by the person here; `pausedThere`: by the one at the other device (F18). */
  state: 'moving' | 'parked' | 'paused' | 'pausedThere' | 'cancelled' | 'failed' | 'done' = 'moving'

  constructor(
    readonly id: ItemId,
    readonly file: OfferedFile,
    readonly to: Addressee,
  ) {
    this.sender = new Sender(file.size)
  }

  /** Whether anything of it is wanted and has not been sent. */
  get isWanted(): boolean {
    return this.to.links.some(({ queue }) => queue.has(this))
  }

  /** Returns the links on which it goes. */
  via(now: number): Carrying {
    const isBusy = (key: LinkKey) =>
      this.to.links.some((link) => link.key === key && (link.queue.has(this) || link.wire.unsent > 0))
    return this.to.carrying(this.carriers.look(isBusy, now))
  }

  /** Whether it moves, or waits for its device. */
  get isUnderWay(): boolean {
    return this.state === 'moving' || this.state === 'parked'
  }

  /** Whether it goes on, and nothing of it is wanted. */
  get isIdle(): boolean {
    return this.isUnderWay && !this.isWanted
  }

  get hasEnded(): boolean {
    return this.state === 'done' || this.state === 'cancelled' || this.state === 'failed'
  }
}
