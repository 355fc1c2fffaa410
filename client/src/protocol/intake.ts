/**
 * What is wanted from one device: a few files at a time, and one window for all of them (F4). A file that comes from
 * several devices will be in the intake of each.
 */
import { WINDOW_BYTES } from './bindings'
import type { ChunkRange } from './chunk-set'
import type { LinkKey, Receiver } from './receiver'

/** Files that come from one device at the same time; the others wait their turn. */
const MOST_AT_ONCE = 3

/** Anything that has the receiving end of a transfer. */
export interface Receives {
  readonly receiver: Receiver
}

export class Intake<T extends Receives> {
  readonly #active = new Set<T>()

  /** Whether one more file may begin. */
  get hasTurn(): boolean {
    return this.#active.size < MOST_AT_ONCE
  }

  /** Bytes wanted and not yet durable, over all files. */
  get outstanding(): number {
    let bytes = 0
    for (const { receiver } of this.#active) bytes += receiver.outstanding
    return bytes
  }

  begin(transfer: T): void {
    this.#active.add(transfer)
  }

  end(transfer: T): void {
    this.#active.delete(transfer)
  }

  /**
   * Wants the next chunks on a link; null when all is asked for, or the window is full. The file with the least under way
   * goes first: files come side by side, and one alone has the whole window.
   * @param isReady whether a file's bytes could be written now
   */
  want(link: LinkKey, isReady: (transfer: T) => boolean): { transfer: T; range: ChunkRange } | null {
    const room = WINDOW_BYTES - this.outstanding
    const ready = [...this.#active].filter(isReady)
    ready.sort((a, b) => a.receiver.outstanding - b.receiver.outstanding)
    for (const transfer of ready) {
      const range = transfer.receiver.want(link, room)
      if (range) return { transfer, range }
    }
    return null
  }

  /** Whether something is still to come on a link. */
  isWaitingOn(link: LinkKey): boolean {
    for (const { receiver } of this.#active) if (receiver.isWaitingOn(link)) return true
    return false
  }

  /** A link is gone, or silent: what was to come on it is wanted again (F6). */
  lost(link: LinkKey): void {
    for (const { receiver } of this.#active) receiver.lost(link)
  }
}
